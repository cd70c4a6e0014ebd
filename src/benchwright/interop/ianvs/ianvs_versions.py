"""What Ianvs's versions have: read off the tags of kubeedge/ianvs and its main branch at 1d3da5b."""

from __future__ import annotations

from collections.abc import Iterable

VERSIONS = ("v0.1.0", "v0.2.0", "v0.3.0", "main")
LATEST = VERSIONS[-1]
_PARADIGMS = {
    "singletasklearning": "v0.1.0",
    "incrementallearning": "v0.1.0",
    "multiedgeinference": "v0.1.0",
    "lifelonglearning": "v0.2.0",
    "federatedlearning": "v0.3.0",
    "federatedclassincrementallearning": "v0.3.0",
    "jointinference": "v0.3.0",
}
# Metrics without a file, and the paradigms that collect what they are made of.
_SYSTEM_METRICS = {
    "samples_transfer_ratio": ("v0.1.0", {"incrementallearning", "lifelonglearning"}),
    "fwt": ("v0.2.0", {"lifelonglearning"}),
    "bwt": ("v0.2.0", {"lifelonglearning"}),
    "matrix": ("v0.2.0", {"lifelonglearning"}),
    "task_avg_acc": ("v0.2.0", {"lifelonglearning", "federatedclassincrementallearning"}),
    "forget_rate": ("v0.3.0", {"federatedclassincrementallearning"}),
}
PREPROCESS = "main"  # since fa75261, which no release has yet
DATA_KEYS = "v0.3.0"  # train_index, train_data, train_data_info; before it train_url alone


def has(version: str, since: str) -> bool:
    """Whether a version has what came with another one."""
    return VERSIONS.index(version) >= VERSIONS.index(since)


def paradigms(version: str) -> list[str]:
    """The paradigms of a version."""
    return [name for name, since in _PARADIGMS.items() if has(version, since)]


def measures_by_itself(name: str, version: str, used: Iterable[str]) -> bool:
    """Whether a version has a metric of this name by itself, and some paradigm of a job collects it."""
    since, collecting = _SYSTEM_METRICS.get(name.lower(), ("", set()))
    return bool(since) and has(version, since) and bool(collecting & set(used))


def is_system_metric(name: str) -> bool:
    """Whether some version has it by itself."""
    return name.lower() in _SYSTEM_METRICS

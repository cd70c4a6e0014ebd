"""Features of Ianvs's versions, from the tags of kubeedge/ianvs and its main branch at 1d3da5b."""

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
# Built-in metrics, and the paradigms that collect their inputs.
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
    """Return whether a version is `since` or later."""
    return VERSIONS.index(version) >= VERSIONS.index(since)


def paradigms(version: str) -> list[str]:
    """Return the paradigms of a version."""
    return [name for name, since in _PARADIGMS.items() if has(version, since)]


def measures_by_itself(name: str, version: str, used: Iterable[str]) -> bool:
    """Return whether a version has a built-in metric of this name for a paradigm of the job."""
    since, collecting = _SYSTEM_METRICS.get(name.lower(), ("", set()))
    return bool(since) and has(version, since) and bool(collecting & set(used))


def is_system_metric(name: str) -> bool:
    """Return whether some version has a built-in metric of this name."""
    return name.lower() in _SYSTEM_METRICS

"""Short names for runs that tell them apart: the model's where that is enough, else the folder's too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchwright.display.escape import escaped_path

MAX_NAME = 60
_ENDINGS = (".gz", ".jsonl", ".json")


def short_names(runs: Sequence[tuple[str, str]]) -> list[str]:
    """A name for each (model spec, run folder): all are different, printable and at most 60 characters."""
    names = [_of_model(model) for model, _ in runs]
    names = _apart(
        names, [f"{name} ({Path(path).name})" for name, (_, path) in zip(names, runs, strict=True)]
    )
    # Equal models in equal folder names: only their order is left to tell them apart.
    names = [name if len(name) <= MAX_NAME else f"{name[: MAX_NAME - 1]}…" for name in names]
    return _apart(names, [f"{name[: MAX_NAME - 5]} #{number}" for number, name in enumerate(names, 1)])


def _of_model(spec: str) -> str:
    """`openai:qwen3` is qwen3, `replay:/x/answers-a.jsonl.gz` is answers-a, `gold:` stays what it is."""
    scheme, colon, rest = spec.partition(":")
    if not rest:
        return escaped_path(spec) or "?"
    if scheme == "replay":
        rest = rest.rsplit("/", 1)[-1]
        for ending in _ENDINGS:
            rest = rest.removesuffix(ending)
    return escaped_path(rest.rstrip("/").rsplit("/", 1)[-1] or f"{scheme}{colon}")


def _apart(names: list[str], longer: list[str]) -> list[str]:
    """The names, with the longer form for those that more than one run has."""
    often = Counter(names)
    return [escaped_path(full) if often[name] > 1 else name for name, full in zip(names, longer, strict=True)]

"""Naive baselines: how well labels are guessed without understanding the code, for card and manifest.

Comparison baselines know the rows of the set and see which texts of a file are equal (`comparing.py`). Style
baselines learn from other repositories what occurs with a label (`style.py`). In a sound set each is as good
as always guessing the most common label.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from benchwright.building.codecorrectness.comparing import Versions, comparing_readers
from benchwright.building.codecorrectness.style import FOLDS, characters_say, marks_say
from benchwright.records import Metric, Record
from benchwright.stats.intervals import mean_interval
from benchwright.text.label import LABELS

MARGIN = 0.03  # margin above the majority from which a baseline gives a warning
LEAST = 20  # minimum rows of each label to learn from
SUCCESS, FAILED = LABELS


class ShownRow(Record, frozen=True, kw_only=True):
    """The part of a row that a baseline sees, and its label."""

    focal_code: str
    test_code: str
    label: str
    repository: str
    focal_path: str

    @property
    def file(self) -> str:
        """The focal file: its rows are compared, and form one cluster of the interval."""
        return f"{self.repository}:{self.focal_path}"


class ReaderFigure(Record, frozen=True, kw_only=True, omit_defaults=True):
    """The accuracy of one baseline, over the rows for which it has an answer."""

    reader: str
    accuracy: Metric | None = None
    absent: str = ""  # why there is no result
    warning: str = ""


def reader_figures(rows: Sequence[ShownRow]) -> dict[str, Any]:
    """The accuracy of all baselines as a JSON document, with the share of the most common label.

    Intervals treat the rows of one focal file as one cluster. It takes less than a minute for 2,000 rows of
    10,000 characters.
    """
    counts = {label: sum(row.label == label for row in rows) for label in LABELS}
    majority = max(LABELS, key=lambda label: counts[label])
    share = counts[majority] / len(rows)
    answers = {**_compared(rows), **_learnt(rows, counts)}
    figures = [_figure(name, rows, each, share) for name, each in answers.items()]
    return {
        "majority": {"label": majority, "share": share},
        "folds": FOLDS,
        "figures": [msgspec.to_builtins(each) for each in figures],
    }


def reader_warnings(document: Mapping[str, Any]) -> list[str]:
    """A sentence for each baseline that beats the majority by more than chance and MARGIN."""
    return [each["warning"] for each in document["figures"] if each.get("warning")]


def _compared(rows: Sequence[ShownRow]) -> dict[str, list[str] | str]:
    versions = Versions()
    files: dict[str, list[int]] = {}
    for at, row in enumerate(rows):
        files.setdefault(row.file, []).append(at)
    texts = [versions.number(row.focal_code) for row in rows]
    found: dict[str, list[str] | str] = {}
    for name, reader in comparing_readers(versions).items():
        answers = [""] * len(rows)
        for places in files.values():
            for at, word in zip(places, reader([texts[at] for at in places]), strict=True):
                answers[at] = word
        found[name] = answers
    return found


def _learnt(rows: Sequence[ShownRow], counts: Mapping[str, int]) -> dict[str, list[str] | str]:
    """The answers of the style baselines, or the reason why they cannot learn."""
    focal, tests = [row.focal_code for row in rows], [row.test_code for row in rows]
    repositories = [row.repository for row in rows]
    truth = [row.label == SUCCESS for row in rows]
    if lacks := _lacks(counts, len(set(repositories))):
        return {"marks": lacks, "character n-grams": lacks}
    return {
        "marks": _as_labels(marks_say(focal, truth, repositories)),
        "character n-grams": _as_labels(characters_say(focal, tests, truth, repositories)),
    }


def _as_labels(answers: Sequence[bool]) -> list[str]:
    return [SUCCESS if each else FAILED for each in answers]


def _lacks(counts: Mapping[str, int], repositories: int) -> str:
    if repositories < FOLDS:
        return f"{FOLDS} repositories are needed to learn from the others; there are {repositories}"
    if min(counts.values()) < LEAST:
        return f"{LEAST} rows of each label are needed; there are {min(counts.values())}"
    return ""


def _figure(name: str, rows: Sequence[ShownRow], answers: list[str] | str, majority: float) -> ReaderFigure:
    if isinstance(answers, str):
        return ReaderFigure(reader=name, absent=answers)
    decided = [(word == row.label, row.file) for word, row in zip(answers, rows, strict=True) if word]
    if not decided:
        return ReaderFigure(reader=name, absent="no file has versions that it could compare")
    hits, files = [float(hit) for hit, _ in decided], [file for _, file in decided]
    found = mean_interval(hits, samples_per_task=1, clusters=files)
    accuracy = Metric(value=found.value, low=found.low, high=found.high, n=found.n, samples=1)
    return ReaderFigure(reader=name, accuracy=accuracy, warning=_warning(name, accuracy, majority))


def _warning(name: str, found: Metric, majority: float) -> str:
    """The warning about one baseline. One that is nearly always wrong reveals as much: invert its answers."""
    if found.low > majority + MARGIN:
        how, value, low, high = "guesses", found.value, found.low, found.high
    elif found.high < 1 - majority - MARGIN:
        how, value, low, high = "turned round guesses", 1 - found.value, 1 - found.high, 1 - found.low
    else:
        return ""
    return (
        f"the reader “{name}” {how} {100 * value:.1f} % of {found.n} labels ({100 * low:.1f} to "
        f"{100 * high:.1f}), and the commonest label is {100 * majority:.1f} %: the set tells labels to "
        f"whoever does not read the code"
    )

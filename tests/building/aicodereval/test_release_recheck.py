"""Rechecks: entries that end as at their release, otherwise, or cannot be executed; locks that differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.aicodereval import release_recheck as module
from benchwright.building.aicodereval.release_recheck import EntryState, RecheckedRelease, recheck
from benchwright.contracts import Job, Judgement
from benchwright.errors import DataError, PrerequisiteError, UsageError
from benchwright.executing.trials import Trials
from benchwright.records import Outcome
from kit.made_releases import released

LEVELS = ("normal", "edge_case", "correctness")


class Ending:
    """An executor in which a program that holds a text ends as told, and every other one passes."""

    size = 1

    def __init__(self, text: str = "\0", ends: Judgement | None = None, *, once: bool = False) -> None:
        self._text, self._ends, self._once = text, ends, once

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Nothing is executed."""
        for job in jobs:
            is_its = self._ends is not None and self._text in str(job.given)
            yield job.number, self._ends if is_its and self._ends else judgement(Outcome.passed)
            if is_its and self._once:
                self._ends = None


def judgement(outcome: Outcome, detail: str = "") -> Judgement:
    """Of a program all of whose levels end alike."""
    return Judgement(outcome=outcome, detail=detail, parts=dict.fromkeys(LEVELS, outcome))


def rechecked(folder: Path, executor: Ending, profile: str = "") -> RecheckedRelease:
    """The release in the folder, rechecked."""
    with Trials(folder / "trials.jsonl", executor) as trials:
        return recheck(released(folder), trials, profile=profile)


def states(found: RecheckedRelease) -> dict[str, str]:
    """The state of each entry."""
    return {each.task_id: str(each.state) for each in found.entries}


def test_an_environment_that_has_not_changed(tmp_path: Path) -> None:
    """All that was executed at the release passes; what was not is not asked about."""
    found = rechecked(tmp_path, Ending())

    assert states(found) == {"word-counts": "pass", "zero-crossings": "pass"}
    assert (found.locks, found.counts[EntryState.passed]) == ({}, 2)


@pytest.mark.parametrize(
    ("ends", "once", "state", "level"),
    [
        (judgement(Outcome.exception, "TypeError: no such argument"), False, "fail", Outcome.exception),
        (judgement(Outcome.wrong), True, "fail", Outcome.flaky),
        (
            judgement(Outcome.exception, "ModuleNotFoundError: No module named 'torch'"),
            False,
            "infrastructure",
            None,
        ),
        (judgement(Outcome.sandbox_error, "no jail"), False, "infrastructure", None),
    ],
)
def test_drift_is_told_from_what_could_not_be_executed(
    tmp_path: Path, ends: Judgement, once: bool, state: str, level: Outcome | None
) -> None:
    """One entry ends otherwise, each time or once; the other one stays as it was."""
    found = rechecked(tmp_path, Ending("def word_counts", ends, once=once))

    assert states(found) == {"word-counts": state, "zero-crossings": "pass"}
    assert found.entries[0].detail == ends.detail
    if level is not None:
        assert (found.entries[0].released["normal"], found.entries[0].levels["normal"]) == (
            Outcome.passed,
            level,
        )


def test_versions_that_differ_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then and now; what is in one lock alone has no version in the other."""
    folder = released(tmp_path)
    now = {"numpy": "9.0"}
    monkeypatch.setattr(module, "environment_lock", lambda _: now)
    with Trials(tmp_path / "trials.jsonl", Ending()) as trials:
        (changes,) = recheck(folder, trials).locks.values()

    assert changes["numpy"] == (None, "9.0")
    assert changes["python"][1] is None


def test_a_profile_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every entry is infrastructure, and none is executed."""
    folder = released(tmp_path)

    def refuse(_: str) -> Any:
        raise PrerequisiteError("profile torch is not installed")

    monkeypatch.setattr(module, "environment_lock", refuse)
    with Trials(tmp_path / "trials.jsonl", Ending("def", judgement(Outcome.wrong))) as trials:
        found = recheck(folder, trials, profile="torch")

    assert set(states(found).values()) == {"infrastructure"}
    assert {each.detail for each in found.entries} == {"profile torch is not installed"}


def test_what_cannot_be_rechecked(tmp_path: Path) -> None:
    """A profile that there is not, and a release that was changed."""
    with pytest.raises(UsageError, match="unknown dependency profile: atari"):
        rechecked(tmp_path, Ending(), profile="atari")
    (tmp_path / "mine@1.0.0/README.md").write_text("other")
    with (
        Trials(tmp_path / "trials.jsonl", Ending()) as trials,
        pytest.raises(DataError, match=r"README\.md was"),
    ):
        recheck(tmp_path / "mine@1.0.0", trials)

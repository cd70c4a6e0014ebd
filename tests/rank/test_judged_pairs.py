"""Two runs compared by model judges: both orders, contradictions, rules, and stored replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchwright.contracts import Prompt
from benchwright.errors import RunError, SelfCheckError
from benchwright.judges.rubric.contrast import BETTER, contrast_items
from benchwright.progress import Silent
from benchwright.rank.judged_pairs import PairedRuns, PairResult, judge_pairs
from benchwright.records import Task
from benchwright.running.model_judges import open_judges
from benchwright.running.pipeline import run
from benchwright.store.runfolder import RunFolder
from kit.judging_models import CLOSE, ODD, RIGHT, assessed_by, issue_answers, issue_rows
from kit.live_model import LiveModel, register
from kit.small_data import read_rows

pytestmark = pytest.mark.usefixtures("jail")

TASKS = 3
_BETTER = [each.exhibit.candidate for each in contrast_items("issues") if each.answer == BETTER]


class Comparing(LiveModel):
    """A judge with a schema."""

    takes = frozenset({"schema"})


def prefers(label: str) -> str:
    """Return a reply by the rubric of pairs."""
    return json.dumps({"evidence": [], "reason": "because", "label": label})


def sides(prompt: Prompt) -> list[str]:
    """Return the two texts to compare, in the displayed order."""
    mark = prompt.text.split(" BEGIN\n")[0].rpartition("\n")[2]
    return [part.split(f"\n{mark} END")[0] for part in prompt.text.split(f"{mark} BEGIN\n")[1:]][-2:]


def fair(prompt: Prompt, task: Task) -> str:
    """Prefer the right one; of two others, the first."""
    good = [side in _BETTER or side.startswith(RIGHT) for side in sides(prompt)]
    return prefers("B" if good == [False, True] else "A")


def always(label: str) -> Callable[[Prompt, Task], str]:
    """Always reply the same, except in the self-check."""

    def says(prompt: Prompt, task: Task) -> str:
        return fair(prompt, task) if set(_BETTER) & set(sides(prompt)) else prefers(label)

    return says


def runs(folder: Path) -> PairedRuns:
    """Write two runs: right, close, odd and empty against close, close, empty and empty."""
    data = issue_rows(folder, TASKS)
    for name, texts in (("a", [RIGHT, CLOSE, ODD, ""]), ("b", [CLOSE, CLOSE, "", ""])):
        answers = issue_answers(folder, texts, TASKS)
        run("smartcoding-issues", data=str(data), model=f"replay:{answers}", out=folder / name)
    return PairedRuns(RunFolder.read(folder / "a"), RunFolder.read(folder / "b"))


def compared(
    folder: Path, monkeypatch: pytest.MonkeyPatch, says: Callable[[Prompt, Task], str]
) -> PairResult:
    """Return the judge's results for the two runs."""
    register(monkeypatch, Comparing(says))
    judges = open_judges(assessed_by("live:judge"), ("pairs",))
    (result,) = judge_pairs(runs(folder), judges, folder / "pairs", Silent())
    return result


def test_a_preference_that_follows_the_order_is_a_tie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers settled by rules are decided without asking."""
    result = compared(tmp_path, monkeypatch, fair)
    rows = read_rows(tmp_path / "pairs" / "pairs.jsonl")

    assert [row["result"] for row in rows] == ["a", "tie", "a", "tie"] * TASKS
    assert [row.get("by", "judge") for row in rows] == ["judge", "judge", "rules", "rules"] * TASKS
    assert [row.get("contradiction", False) for row in rows] == [False, True, False, False] * TASKS
    assert (result.pairs, result.win, result.tie, result.loss) == (4 * TASKS, 2 * TASKS, 2 * TASKS, 0)
    assert (result.contradictions, result.judged_twice, result.by_rules) == (TASKS, 2 * TASKS, 2 * TASKS)
    assert result.first_preferred is not None and result.first_preferred.value == 0.75
    assert result.preference is not None and result.preference.value == 0.75
    assert result.preference.low < 0.75 < result.preference.high


@pytest.mark.parametrize(("label", "bias"), [("tie", None), ("both_bad", None), ("A", 1.0), ("B", 0.0)])
def test_one_word_for_all_prefers_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, label: str, bias: float | None
) -> None:
    result = compared(tmp_path, monkeypatch, always(label))

    assert (result.win, result.loss) == (TASKS, 0)  # by rules
    assert result.contradictions == (0 if bias is None else 2 * TASKS)
    assert (result.first_preferred and result.first_preferred.value) == bias


def test_a_judge_that_prefers_what_stands_first_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SelfCheckError, match="ordered 16 of 16 pairs wrongly"):
        compared(tmp_path, monkeypatch, lambda prompt, task: prefers("A"))


def test_stored_replies_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second call asks nothing."""
    result = compared(tmp_path, monkeypatch, fair)
    files = [path.name for path in (tmp_path / "pairs").glob("*.jsonl")]
    pairs = PairedRuns(RunFolder.read(tmp_path / "a"), RunFolder.read(tmp_path / "b"))
    kept = open_judges(assessed_by(f"replay:{tmp_path / 'pairs'}"), ("pairs",))
    again = judge_pairs(pairs, kept, tmp_path / "again", Silent())

    assert again == [result]
    assert all(
        (tmp_path / "pairs" / name).read_bytes() == (tmp_path / "again" / name).read_bytes() for name in files
    )


def test_what_cannot_be_read_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def says(prompt: Prompt, task: Task) -> str:
        return fair(prompt, task) if set(_BETTER) & set(sides(prompt)) else "prose"

    result = compared(tmp_path, monkeypatch, says)

    assert (result.unparsable, result.judged_twice) == (2 * TASKS, 0)
    assert result.win + result.tie + result.loss + result.unparsable == result.pairs


def test_runs_of_other_data_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    runs(tmp_path)
    data = issue_rows(tmp_path / "other", TASKS + 1)
    answers = issue_answers(tmp_path / "other", [RIGHT], TASKS + 1)
    run("smartcoding-issues", data=str(data), model=f"replay:{answers}", out=tmp_path / "c")
    with pytest.raises(RunError, match="differ in their data"):
        PairedRuns(RunFolder.read(tmp_path / "a"), RunFolder.read(tmp_path / "c"))

"""Stage label: bounds count labelled rows and are refilled; what cannot be executed is executed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from benchwright.building.codecorrectness.label_sampling import LabelContext, label_candidates
from benchwright.building.codecorrectness.options import RowBounds
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.executing.suite_ledger import Ledger
from benchwright.executing.suite_runners import Runners
from benchwright.progress import Silent, Watcher
from benchwright.records import Drop, Outcome
from kit.fake_suites import FakeSuites
from kit.made_candidates import candidate
from kit.made_repositories import function


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    FakeSuites.executed.clear()
    yield
    FakeSuites.executed.clear()


def _of_file(number: int, *, end: str = "success", **changed: str) -> Candidate:
    """A case of its own of one focal file of one repository."""
    code = function(f"sum_{number}", remark=f"ends: {end}")
    return candidate(number, focal_code=code, **{"focal_path": "sums.py", **changed})


def _labelled(
    folder: Path, given: list[Candidate], watch: Watcher | None = None, **bounds: int
) -> dict[str, str]:
    """By the number of a candidate, its label or the reason of its drop."""
    with Ledger(folder / "executions.jsonl") as ledger, Runners(lambda _: FakeSuites()) as runners:
        executing = LabelContext(ledger, runners, 3, watch or Silent())
        found = list(label_candidates(given, RowBounds(**bounds), executing))
    ends = [each.reason if isinstance(each, Drop) else each.label for each in found]
    return {each.case + each.test_path: end for each, end in zip(given, ends, strict=True)}


def test_a_bound_is_refilled(tmp_path: Path) -> None:
    """Of a file with few tests that can run, all of them are found, however many are drawn before."""
    given = [_of_file(number, end="success" if number % 5 == 0 else "environment") for number in range(20)]
    found = Counter(_labelled(tmp_path, given, a_focal_file=3).values())

    assert found["success"] == 3
    assert found["enough_of_file"] + found["environment"] == 17


def test_what_is_not_there_is_asked_for_once(tmp_path: Path) -> None:
    """A library, a compiler's complaint or an import that fails does not change; a label needs all executions."""
    ends = ("environment", "import", "compile", "timeout", "success", "assertion")
    _labelled(tmp_path, [_of_file(number, end=end) for number, end in enumerate(ends)])
    times = Counter(code.partition("ends: ")[2].split()[0] for code, _ in FakeSuites.executed)

    assert times == {"environment": 1, "import": 1, "compile": 1, "timeout": 1, "success": 3, "assertion": 3}


def test_the_bound_of_a_repository(tmp_path: Path) -> None:
    """It counts over all files; another repository has its own."""
    given = [_of_file(number, focal_path=f"f{number % 3}.py") for number in range(9)]
    given += [_of_file(20, repository="other")]
    found = Counter(_labelled(tmp_path, given, a_repository=4).values())

    assert found == {"success": 5, "enough_of_repository": 5}


def test_a_models_tests_take_no_room_from_the_repositories(tmp_path: Path) -> None:
    """The bounds count both kinds by themselves."""
    given = [_of_file(number, subset=("original", "generated")[number % 2]) for number in range(8)]
    found = Counter(_labelled(tmp_path, given, a_focal_file=2).values())

    assert found == {"success": 4, "enough_of_file": 4}


def test_who_is_drawn_does_not_hang_on_the_order(tmp_path: Path) -> None:
    """The same candidates in another order give the same rows."""
    given = [_of_file(number) for number in range(12)]

    assert _labelled(tmp_path, given, a_focal_file=4) == _labelled(tmp_path, given[::-1], a_focal_file=4)


def test_an_ended_command_goes_on(tmp_path: Path) -> None:
    """Nothing is executed twice, and the rows are those of a command that was never ended."""
    given = [_of_file(number) for number in range(6)]
    FakeSuites.stop_after = 7
    with pytest.raises(KeyboardInterrupt):
        _labelled(tmp_path, given, a_focal_file=4)
    FakeSuites.stop_after = None
    found = _labelled(tmp_path, given, a_focal_file=4)

    assert Counter(found.values()) == {"success": 4, "enough_of_file": 2}
    assert len(FakeSuites.executed) == 12 == len(set(FakeSuites.executed))


class _Counting(Silent):
    def __init__(self) -> None:
        self.stages: list[tuple[str, int]] = []
        self.ticks = 0
        self.said = ""

    def begin(self, stage: str, total: int, done: int) -> None:
        """One more stage."""
        self.stages.append((stage, total))

    def tick(self, outcome: Outcome | None) -> None:
        """One more candidate."""
        self.ticks += 1

    def status(self, text: str) -> None:
        """What was said last."""
        self.said = text


def test_progress(tmp_path: Path) -> None:
    """One stage that counts candidates to the last, so that rate and time left are theirs; executions beside it."""
    watch = _Counting()
    _labelled(tmp_path, [_of_file(number) for number in range(5)], watch, a_focal_file=2)

    assert (watch.stages, watch.ticks, watch.said) == ([("label", 5)], 5, "6 executions")


def _state(number: int, end: str, commit: str = "c1") -> Candidate:
    """A completed state of one test's history."""
    row = _of_file(
        number, end=end, subset="history", commit=commit, case="test_one", test_path=f"{number}.py"
    )
    return msgspec.structs.replace(row, inlined=["other.py"], test_path="test_sums.py")


def _history_labels(folder: Path, given: list[Candidate], **bounds: int) -> list[str]:
    folder.mkdir(exist_ok=True)
    with Ledger(folder / "executions.jsonl") as ledger, Runners(lambda _: FakeSuites()) as runners:
        found = label_candidates(given, RowBounds(**bounds), LabelContext(ledger, runners, 3, Silent()))
        return [each.reason if isinstance(each, Drop) else each.label for each in found]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("assertion", "success", ["failed", "success"]),
        ("success", "assertion", ["success", "failed"]),
        ("assertion", "assertion", ["fails_completed", "fails_completed"]),
        ("assertion", "environment", ["fails_completed", "environment"]),
        ("success", "success", ["success", "success"]),
    ],
)
def test_a_completed_state_may_fail_where_the_other_passes(
    tmp_path: Path, before: str, after: str, expected: list[str]
) -> None:
    """That one proves that nothing was lost; else it may be our doing."""
    assert _history_labels(tmp_path, [_state(1, before), _state(2, after)]) == expected


def test_the_proof_is_of_the_same_commit(tmp_path: Path) -> None:
    """A later state was completed from other files."""
    given = [_state(1, "assertion"), _state(2, "success", commit="c2")]

    assert _history_labels(tmp_path, given) == ["fails_completed", "success"]


def test_a_failing_state_needs_one_that_passes(tmp_path: Path) -> None:
    """A test that fails on both states may want something that no state has, such as a plug-in."""
    failing, passing = (_bare(number, end) for number, end in enumerate(("assertion", "success")))

    assert _history_labels(tmp_path / "a", [failing]) == ["other_state_fails"]
    assert _history_labels(tmp_path / "b", [failing, passing]) == ["failed", "success"]
    unrelated = msgspec.structs.replace(
        passing, test_code=passing.test_code.replace("one", "two"), case="test_two"
    )
    assert _history_labels(tmp_path / "c", [failing, unrelated]) == ["other_state_fails", "success"]


def test_the_state_of_another_commit_may_be_the_proof(tmp_path: Path) -> None:
    """The commit's own other state may be the file of today, which is drawn as that."""
    failing = _bare(1, "assertion")
    today = msgspec.structs.replace(_bare(2, "success"), subset="original", commit="c9")

    assert _history_labels(tmp_path, [failing, today]) == ["failed", "success"]


def _bare(number: int, end: str, **changed: str) -> Candidate:
    """A state into which nothing was brought; all have one test."""
    state = msgspec.structs.replace(_state(number, end), inlined=[], **changed)
    module = state.focal_path.removesuffix(".py")
    test = f"from {module} import total\n\n\ndef test_one():\n    assert total(1, 2) == 3\n"
    return msgspec.structs.replace(state, test_code=test)


def test_both_states_of_a_change_are_drawn_together(tmp_path: Path) -> None:
    """A bound on a file that fits two rows takes both states of one change, not one of two."""
    given = [_state(number, "success", commit=f"c{number // 2}") for number in range(8)]
    with Ledger(tmp_path / "executions.jsonl") as ledger, Runners(lambda _: FakeSuites()) as runners:
        made = list(
            label_candidates(given, RowBounds(a_focal_file=2), LabelContext(ledger, runners, 3, Silent()))
        )
    taken = {each.commit for each in made if isinstance(each, Candidate)}

    assert len(taken) == 1


def test_failures_of_history_have_room_of_their_own(tmp_path: Path) -> None:
    """Of a file full of passing states the failing ones are all found, and of the others as many as are wanted."""
    ends = ["assertion" if number % 6 == 5 else "success" for number in range(18)]
    found = Counter(_history_labels(tmp_path, [_bare(*each) for each in enumerate(ends)], a_focal_file=4))

    assert found == {"failed": 3, "success": 4, "enough_of_file": 11}


def test_a_repository_bounds_each_label_of_history(tmp_path: Path) -> None:
    """Whichever files they are of; once both labels have enough, nothing more is executed."""
    ends = ["assertion" if number % 2 else "success" for number in range(40)]
    given = [
        _bare(number, end, focal_path=f"f{number % 5}.py", commit=f"c{number}")
        for number, end in enumerate(ends)
    ]
    found = Counter(_history_labels(tmp_path, given, a_repository=3))

    assert (found["failed"], found["success"]) == (3, 3)
    assert len({code for code, _ in FakeSuites.executed}) < len(given)

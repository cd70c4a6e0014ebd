"""Rows that hang on time, threads or identity: twenty executions, and what no execution can prove."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.codecorrectness.label_executions import NOT_PROVEN, check_flakiness, unproven
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.building.codecorrectness.verification import verify
from benchwright.executing.suite_ledger import Ledger
from benchwright.executing.suite_runners import Runners
from benchwright.judges.suites.variations import pressed_variations, variations
from benchwright.progress import Silent
from benchwright.records import Drop
from kit.fake_suites import FakeSuites
from kit.made_candidates import TAGS, candidate
from kit.made_repositories import function, lines, row

_THREADS = {**TAGS, "focal_uses": ["threads"]}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    FakeSuites.executed.clear()
    yield
    FakeSuites.executed.clear()


def _row(number: int, remark: str = "", *, label: str = "success", **changed: Any) -> Candidate:
    code = function(f"sum_{number}", remark=remark)
    return candidate(number, **{"focal_code": code, "tags": _THREADS, "label": label, **changed})


def _steady(
    folder: Path, rows: list[Candidate], *, keep: bool = True, most: int = 20
) -> list[Candidate | Drop]:
    with Ledger(folder / "executions.jsonl") as ledger, Runners(lambda _: FakeSuites()) as runners:
        return list(
            check_flakiness(rows, ledger, runners, repeat=5, most=most, keep_unproven=keep, watch=Silent())
        )


def test_a_race_that_five_executions_pass_is_found(tmp_path: Path) -> None:
    """The further ones are pressed, and one that ends otherwise is enough."""
    (found,) = _steady(tmp_path, [_row(1, "ends: raced\n# join")])

    assert isinstance(found, Drop) and found.reason == "flaky"
    assert len(FakeSuites.executed) == 15  # five, and two rounds of five: after the second it is known


def test_only_such_rows_are_executed_again(tmp_path: Path) -> None:
    """One without such uses goes through as it is, and so does what was never loaded."""
    calm, torn = _row(1, tags=TAGS), _row(2, label="failed", kind="syntax")

    assert _steady(tmp_path, [calm, torn]) == [calm, torn]
    assert FakeSuites.executed == []


def test_a_steady_row_tells_how_often(tmp_path: Path) -> None:
    """All executions count."""
    (found,) = _steady(tmp_path, [_row(1, "needs: sum_1_a + b\n# it calls join")])

    assert isinstance(found, Candidate)
    assert (found.runs, found.passes, found.steady) == (20, 20, "")
    assert Counter(number for _, number in FakeSuites.executed) == dict.fromkeys(range(20), 1)


@pytest.mark.parametrize("keep", [True, False])
def test_a_pattern_that_is_a_race_is_never_proven(tmp_path: Path, keep: bool) -> None:
    """It says so, or it is dropped."""
    (found,) = _steady(tmp_path, [_row(1)], keep=keep)

    if keep:
        assert isinstance(found, Candidate) and found.steady == NOT_PROVEN
    else:
        assert isinstance(found, Drop) and found.reason == "not_proven_steady"


@pytest.mark.parametrize(
    ("uses", "code", "is_race"),
    [
        ({"threads"}, "t.start()", True),
        ({"threads"}, "t.start()\nt.join()", False),
        ({"threads"}, "go run()\n<-done", False),
        ({"threads", "sleep"}, "t.start()\ntime.sleep(1)\nt.join()", True),
        ({"async", "sleep"}, "await asyncio.sleep(1)", True),
        ({"time", "sleep"}, "time.sleep(1)", False),
        ({"time", "sleep"}, "began = time.monotonic()\ntime.sleep(1)", True),
        ({"time", "sleep"}, "start := time.Now()\ntime.Sleep(d)", True),
        ({"identity"}, "id(x)", False),
    ],
)
def test_known_races(uses: set[str], code: str, is_race: bool) -> None:
    """Waiting by sleeping, threads that nothing waits for, and sleeps that are measured."""
    assert bool(unproven(uses, code, "")) is is_race


def test_pressed_variations_go_on_behind_the_plain_ones() -> None:
    """Numbers, seeds, clocks and zones are those of any larger repeat; what is new is the press."""
    plain, pressed = variations(20)[5:], pressed_variations(5, 20)

    assert [each.pressed for each in pressed] == list(range(1, 16))
    for one, other in zip(plain, pressed, strict=True):
        assert (one.number, one.hash_seed, one.clock_shift_s, one.timezone) == (
            other.number,
            other.hash_seed,
            other.clock_shift_s,
            other.timezone,
        )


def test_verify_finds_it_too(tmp_path: Path) -> None:
    """By the texts, whatever tags the row has; `--steady-repeat` no larger than `--repeat` turns it off."""
    rows = [row(1, remark="ends: raced"), row(2, remark="ends: raced")]
    rows[0]["inputs"]["focal_code"] += "\nimport threading\nthreading.Thread()\n"
    path = lines(tmp_path / "rows.jsonl", rows)

    def counts(name: str, steady_repeat: int) -> dict[str, int]:
        runners = Runners(lambda _: FakeSuites())
        report = verify(path, out=tmp_path / name, repeat=3, steady_repeat=steady_repeat, runners=runners)
        return {finding: count for finding, count in report.counts.items() if count}

    assert counts("pressed", 20) == {"flaky": 1, "agrees": 1}
    assert counts("plain", 3) == {"agrees": 2}

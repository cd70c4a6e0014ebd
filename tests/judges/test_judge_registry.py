"""A judge is found by the tag of its spec, in this package or in another, and a worker needs no more."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchwright import registry
from benchwright.contracts import Criterion, Job, Judgement, LabelSpec, Spec
from benchwright.errors import UsageError
from benchwright.executing.pool import Pool
from benchwright.judges.judge_registry import Judges, Resources
from benchwright.records import Outcome
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import RunOptions, make_plan
from benchwright.sandbox.box import Sandbox
from kit.own_judges import install
from kit.small_data import humaneval, read_rows


@pytest.fixture(name="own")
def install_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of another package's judges."""
    install(tmp_path, monkeypatch)
    yield import_module("own_judges")
    for name in ("own_judges", "own_track"):
        sys.modules.pop(name, None)


def in_worker(spec: Spec, *programs: str) -> dict[int, Judgement]:
    """What a worker makes of programs."""
    with Pool(workers=1) as pool:
        return dict(pool.judge(Job(number, text, Criterion(spec)) for number, text in enumerate(programs)))


@pytest.mark.parametrize("name", registry.JUDGES)
def test_a_spec_has_the_tag_that_its_judge_is_registered_by(name: str) -> None:
    """Else a worker would look for another."""
    judge = registry.find("judge", name)

    assert judge.spec.__struct_config__.tag == name


def test_a_judge_is_opened_once() -> None:
    """What it keeps warm is kept for all specs of its kind."""
    judges = Judges(Resources(Sandbox(), ExitStack()))

    assert judges.of(LabelSpec(expected="failed")) is judges.of(LabelSpec(expected="success"))


def test_an_unknown_judge_is_named() -> None:
    """With what there is."""
    with pytest.raises(UsageError, match="unknown judge: lable") as caught:
        Judges(Resources(Sandbox(), ExitStack())).named("lable")

    assert caught.value.hint == "did you mean `label`?"


def test_another_packages_judge_works_in_a_worker(own: Any) -> None:
    """Its spec gets there, its scores and parts come back; the worker has never heard of it."""
    judged = in_worker(own.LengthSpec(most=4), "a b", "a b c d e")

    assert judged == {
        0: Judgement(
            outcome=Outcome.passed, scores={"length": 1.0}, parts=dict.fromkeys("ab", Outcome.passed)
        ),
        1: Judgement(
            outcome=Outcome.wrong, scores={"length": 4 / 9}, parts=dict.fromkeys("abcde", Outcome.passed)
        ),
    }


@pytest.mark.parametrize(
    ("kind", "given", "detail"),
    [
        ("BrokenSpec", {"how": "raises"}, "its judge failed: ZeroDivisionError: division by zero"),
        ("BrokenSpec", {"how": "nan"}, "its judge gave x = nan"),
        (
            "UnopenedSpec",
            {},
            "a worker cannot open the judge unopened: OSError: its model is not there",
        ),
    ],
)
def test_a_judge_that_fails_leaves_the_answer_missing(
    own: Any, kind: str, given: dict[str, str], detail: str
) -> None:
    """The harness is at fault and not the answer; the worker stays, and its next job is judged."""
    judged = in_worker(getattr(own, kind)(**given), "x", "y")

    assert {each.outcome for each in judged.values()} == {Outcome.sandbox_error}
    assert all(each.detail.startswith(detail) for each in judged.values())


@pytest.mark.usefixtures("own")
def test_a_graded_verdict_is_stored(tmp_path: Path) -> None:
    """From the worker into verdicts.jsonl, and the same command again reads it back."""
    plan = make_plan(RunOptions(track="short", data=str(humaneval(tmp_path, 1)), model="gold:"))
    scores = [run_plan(plan, out=tmp_path / "run", workers=1) for _ in range(2)]
    (row,) = read_rows(tmp_path / "run" / "verdicts.jsonl")

    assert row["scores"] == {"length": 1.0}
    assert row["parts"] == dict.fromkeys(("return", "x", "+", "1"), "passed")
    assert scores[0] == scores[1]


@pytest.mark.usefixtures("own")
def test_parts_of_a_withheld_task_are_not_stored(tmp_path: Path) -> None:
    """Their names may quote it; the scores do not."""
    options = RunOptions(track="short", data=str(humaneval(tmp_path, 1)), model="gold:", keep_tasks=False)
    run_plan(make_plan(options), out=tmp_path / "run", workers=1)
    (row,) = read_rows(tmp_path / "run" / "verdicts.jsonl")

    assert "parts" not in row
    assert row["scores"] == {"length": 1.0}

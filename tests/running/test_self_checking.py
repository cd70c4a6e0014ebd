"""No score without proof: every gold answer must pass and no stub may, once for each run folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import PrerequisiteError, SelfCheckError
from benchwright.records import SelfCheck
from benchwright.running.plan import Plan
from benchwright.running.self_check import SHOWN, SelfChecking
from benchwright.sandbox.limits import Limits
from kit.run_stages import Decide, Listener, Pretender, by_text, folder_of, judged_as, plan_of
from kit.small_data import humaneval_row, mera_row, read_rows, write


def _check(plan: Plan, place: Path, pool: Pretender, watch: Listener | None = None) -> SelfCheck:
    with folder_of(plan, place) as folder:
        return SelfChecking(plan, folder, watch or Listener()).prove(pool)


def _fails(plan: Plan, place: Path, decide: Decide) -> SelfCheckError:
    with pytest.raises(SelfCheckError) as caught:
        _check(plan, place, Pretender(decide))
    return caught.value


def _unless(word: str, otherwise: str) -> Decide:
    """Judge as a valid data set does, except that programs with this word end differently."""
    return lambda job: judged_as(otherwise, detail="because") if word in job.program else by_text(job)


def test_a_sound_data_set_holds(tmp_path: Path) -> None:
    """Gold and stub of every task pass and fail, in numbers."""
    assert _check(plan_of(tmp_path), tmp_path, Pretender()) == SelfCheck(
        gold_passed=3, gold_total=3, stub_passed=0, stub_total=3
    )


def test_both_answers_to_each_task_are_executed(tmp_path: Path) -> None:
    """They are extracted and judged as any answer, with the task's own spec."""
    pool = Pretender()
    _check(plan_of(tmp_path, tasks=2), tmp_path, pool)
    told = [(job.spec.entry_point, "NotImplementedError" in job.program) for job in pool.executed]

    assert told == [("plus_0", False), ("plus_0", True), ("times_1", False), ("times_1", True)]


def test_excluded_tasks_are_not_checked(tmp_path: Path) -> None:
    """An invalid row can be excluded, and is then ignored."""
    check = _check(plan_of(tmp_path, exclude=("Small/1",)), tmp_path, Pretender(_unless("times_1", "wrong")))

    assert (check.holds, check.gold_total) == (True, 2)


def test_a_second_session_executes_nothing(tmp_path: Path) -> None:
    """The proof is in the run folder."""
    plan, again, watch = plan_of(tmp_path), Pretender(), Listener()
    first = _check(plan, tmp_path, Pretender())
    second = _check(plan, tmp_path, again, watch)

    assert (first, again.taken, watch.heard) == (second, 0, [("begin", "self-check", 6, 6), ("end",)])
    assert len(read_rows(tmp_path / "run" / "self_check.jsonl")) == 6


def test_a_cut_proof_is_completed(tmp_path: Path) -> None:
    """A killed session leaves complete lines and an incomplete one: only missing rows are executed."""
    plan, again = plan_of(tmp_path), Pretender()
    _check(plan, tmp_path, Pretender())
    path = tmp_path / "run" / "self_check.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:4]) + b'{"key": "half')
    check = _check(plan, tmp_path, again)

    assert (check.holds, len(again.executed), len(read_rows(path))) == (True, 2, 6)


def test_the_strict_profile_proves_whatever_profile_scores(tmp_path: Path) -> None:
    """MERA's extraction breaks some gold answers, which its profile is meant to show."""
    _check(plan_of(tmp_path, profiles=("mera-code",)), tmp_path, Pretender())
    profiles = {row["profile"] for row in read_rows(tmp_path / "run" / "self_check.jsonl")}

    assert profiles == {"strict"}


@pytest.mark.parametrize("outcome", ["wrong", "timed_out", "exception", "tampered", "out_of_memory"])
def test_a_gold_answer_that_fails_is_named(outcome: str, tmp_path: Path) -> None:
    """The error has its outcome, the reason, and a hint; there is no score."""
    error = _fails(plan_of(tmp_path), tmp_path, _unless("return x * 1", outcome))

    assert f"gold of task Small/1: {outcome} because" in error.message
    assert "gold passed 2 of 3, stub passed 0 of 3" in error.message
    assert ("tasks.jsonl" in str(error.hint), "--exclude TASK" in str(error.hint)) == (True, True)


def test_a_stub_that_passes_is_named(tmp_path: Path) -> None:
    """Such a test would pass anything."""
    error = _fails(plan_of(tmp_path), tmp_path, lambda _: judged_as("passed"))

    assert "stub of task Small/0: passed" in error.message
    assert "gold passed 3 of 3, stub passed 3 of 3" in error.message


def test_a_stub_that_could_not_be_judged_proves_nothing(tmp_path: Path) -> None:
    """The harness failed, so the stub did not fail."""
    error = _fails(plan_of(tmp_path), tmp_path, _unless("NotImplementedError", "sandbox_error"))

    assert ("stub of task Small/2: sandbox_error" in error.message, error.hint) == (
        True,
        "benchwright doctor",
    )


@pytest.mark.parametrize("tasks", [3, 40])
def test_few_failures_are_listed_and_the_rest_counted(tasks: int, tmp_path: Path) -> None:
    """A data set that fails everywhere must not fill the screen."""
    error = _fails(plan_of(tmp_path, tasks=tasks), tmp_path, lambda _: judged_as("wrong"))
    listed = [line for line in error.message.splitlines() if "of task" in line]

    assert (len(listed), f"and {tasks - SHOWN} more" in error.message) == (min(tasks, SHOWN), tasks > SHOWN)


def test_the_hint_has_the_command_of_a_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hint has `./run benchwright` if the command was called this way."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")
    error = _fails(plan_of(tmp_path, tasks=1), tmp_path, lambda _: judged_as("sandbox_error"))

    assert error.hint == "./run benchwright doctor"


def test_where_nothing_runs_it_ends_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After five failures of the sandbox the other thousand are skipped: a prerequisite is missing."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")
    pool = Pretender(lambda _: judged_as("sandbox_error", detail="no user namespaces"))
    with pytest.raises(
        PrerequisiteError, match="the sandbox cannot run answers on this machine: no user"
    ) as caught:
        _check(plan_of(tmp_path, tasks=40), tmp_path, pool)

    assert (pool.taken, caught.value.exit_code, caught.value.hint) == (SHOWN, 3, "./run benchwright doctor")


def test_one_failure_of_the_sandbox_among_many_does_not_end_it(tmp_path: Path) -> None:
    """A machine that executes some answers works: the others are judged first."""
    pool = Pretender(_unless("return x + 0", "sandbox_error"))
    with pytest.raises(SelfCheckError, match="gold of task Small/0: sandbox_error"):
        _check(plan_of(tmp_path), tmp_path, pool)

    assert len(pool.executed) == 6


@pytest.mark.parametrize("outcome", ["wrong", "sandbox_error"])
def test_a_bad_verdict_of_an_earlier_session_is_judged_again(outcome: str, tmp_path: Path) -> None:
    """The machine may have caused it; expected results are kept."""
    plan, again = plan_of(tmp_path), Pretender()
    _fails(plan, tmp_path, _unless("return x * 1", outcome))
    check = _check(plan, tmp_path, again)

    assert (check.holds, [job.program.split("(")[0] for job in again.executed]) == (True, ["def times_1"])


def test_a_passed_stub_of_an_earlier_session_is_judged_again(tmp_path: Path) -> None:
    """Passing is the unexpected result of a stub."""
    plan, again = plan_of(tmp_path, tasks=1), Pretender()
    _fails(plan, tmp_path, lambda _: judged_as("passed"))
    check = _check(plan, tmp_path, again)

    assert (check.holds, len(again.executed)) == (True, 1)


def test_rows_of_something_else_are_no_proof(tmp_path: Path) -> None:
    """Verdicts under keys of other limits, as in a copied file, are not valid."""
    other, again = plan_of(tmp_path, limits=Limits(cpu_s=9.0)), Pretender()
    (tmp_path / "other").mkdir()
    _check(other, tmp_path / "other", Pretender())
    plan = plan_of(tmp_path)
    with folder_of(plan, tmp_path) as folder:
        copied = (tmp_path / "other" / "run" / "self_check.jsonl").read_bytes()
        (folder.path / "self_check.jsonl").write_bytes(copied)
        check = SelfChecking(plan, folder, Listener()).prove(again)

    assert (check.gold_total, len(again.executed)) == (3, 6)


def _mera(folder: Path, *, private: set[int]) -> Path:
    """Write three MERA rows; the private ones have no solution."""
    rows: list[dict[str, Any]] = [mera_row(number) for number in range(3)]
    for number in private:
        del rows[number]["meta"]["canonical_solution"]
    return write(folder / "mera.jsonl", rows)


@pytest.mark.parametrize(("private", "gold"), [(set(), 3), ({1}, 2), ({0, 1, 2}, 0)])
def test_private_tasks_have_no_gold_answer_to_prove(private: set[int], gold: int, tmp_path: Path) -> None:
    """Their stubs are still judged, and the numbers show it."""
    plan = plan_of(tmp_path, track="ruhumaneval", model="stub:", data=str(_mera(tmp_path, private=private)))
    check = _check(plan, tmp_path, Pretender())

    assert (check.holds, check.gold_total, check.stub_total) == (True, gold, 3)


def test_trouble_is_remembered(tmp_path: Path) -> None:
    """A restart of the sandbox during the self-check is an event of the run."""
    pool = Pretender(lambda job: judged_as(by_text(job).outcome.value, trouble="it was gone"))
    watch = Listener()
    _check(plan_of(tmp_path, tasks=1), tmp_path, pool, watch)
    events = read_rows(tmp_path / "run" / "events.jsonl")

    assert [event["kind"] for event in events] == ["sandbox_retry"] * 2
    assert ("note", "sandbox restarted: it was gone") in watch.heard


def test_who_watches_hears_of_each(tmp_path: Path) -> None:
    """A tick for each answer with its outcome, and an end even after a failure."""
    watch = Listener()
    with pytest.raises(SelfCheckError):
        _check(plan_of(tmp_path, tasks=1), tmp_path, Pretender(lambda _: judged_as("wrong")), watch)

    assert watch.heard == [("begin", "self-check", 2, 0), ("tick", "wrong"), ("tick", "wrong"), ("end",)]


@pytest.mark.usefixtures("jail")
def test_a_real_pool_proves_real_rows(tmp_path: Path) -> None:
    """Valid rows pass; a row whose test never calls the answer fails."""
    from benchwright.executing.pool import Pool

    rows = [humaneval_row(0), humaneval_row(1, test="def check(candidate):\n    pass\n")]
    sound, unsound = (tmp_path / name for name in ("sound", "unsound"))
    for place in (sound, unsound):
        place.mkdir()
    with Pool(workers=1, track="humaneval") as pool:
        check = _check(plan_of(sound), sound, pool)  # type: ignore[arg-type]
        with pytest.raises(SelfCheckError) as caught:
            data = write(unsound / "rows.jsonl", rows)
            _check(plan_of(unsound, data=str(data)), unsound, pool)  # type: ignore[arg-type]

    assert (check.holds, "stub of task Small/1: passed" in caught.value.message) == (True, True)


@pytest.mark.parametrize("end", ["passed", "scored", "undecided"])
def test_gold_may_be_graded_or_left_to_a_judge(tmp_path: Path, end: str) -> None:
    """The rules accept both; a stub with such an outcome was not detected by them."""
    check = _check(plan_of(tmp_path), tmp_path, Pretender(_gold_ends(end)))
    error = _fails(plan_of(tmp_path), tmp_path / "again", _all_end(end))

    assert (check.holds, check.gold_passed, check.stub_passed) == (True, 3, 0)
    assert f"stub of task Small/0: {end}" in error.message


def _gold_ends(end: str) -> Decide:
    return lambda job: judged_as("wrong" if "NotImplementedError" in job.program else end)


def _all_end(end: str) -> Decide:
    return lambda job: judged_as(end)

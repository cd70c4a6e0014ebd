"""A self-check of an earlier run is valid for later ones until something changes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.contracts import RequestOptions
from benchwright.errors import BenchwrightError, PrerequisiteError, SelfCheckError
from benchwright.records import SelfCheck
from benchwright.running import self_check
from benchwright.running.judging import judge_answers
from benchwright.running.plan import Plan
from benchwright.running.self_check import FEW, SelfCheckCache, SelfChecking, scope
from benchwright.sandbox import machine_identity
from benchwright.sandbox.limits import Limits
from kit.needs import need_jail
from kit.run_stages import (
    Listener,
    Pretender,
    WorkerProgram,
    answer,
    by_text,
    folder_of,
    judged_as,
    plan_of,
    store,
)
from kit.small_data import read_rows

TASKS = 12  # 24 gold answers and stubs
CANARIES = 8


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a cache for this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "benchwright" / "self-checks"


def planned(place: Path, **changed: Any) -> Plan:
    """Return a plan over enough tasks to store their self-check."""
    place.mkdir(exist_ok=True)
    return plan_of(place, tasks=TASKS, **changed)


def session(
    place: Path, pool: Pretender, *, watch: Listener | None = None, answers: int = TASKS, **changed: Any
) -> SelfCheck:
    """Run one session: its self-check, and an answer to each task."""
    plan = planned(place.parent, **changed)
    with folder_of(plan, place) as folder:
        checking = SelfChecking(plan, folder, watch or Listener())
        checking.prove(pool)
        if not folder.done_keys():
            store(folder, (answer(number) for number in range(answers)))
        judge_answers(plan, folder, checking.among(pool), watch or Listener(), profile="strict")
        return checking.result()


def stored(place: Path) -> list[dict[str, Any]]:
    """Return the rows of a run's self-check."""
    return read_rows(place / "run" / "self_check.jsonl")


def test_the_first_run_proves_all_and_the_next_some(tmp_path: Path) -> None:
    """24 gold answers and stubs first, then four of each; the reported numbers are those of all."""
    first, second = Pretender(), Pretender()
    before, after = session(tmp_path / "a", first), session(tmp_path / "b", second)

    assert (len(first.executed), len(second.executed)) == (24 + TASKS, CANARIES + TASKS)
    assert (before.kept, before.canaries, before.since) == (0, 0, "")
    assert (after.kept, after.canaries, after.holds) == (24, CANARIES, True)
    assert (after.gold_passed, after.gold_total, after.stub_passed, after.stub_total) == (12, 12, 0, 12)


def test_the_folder_says_what_was_proved_when(tmp_path: Path) -> None:
    """Each row has its time; those of an earlier run and the canaries are marked."""
    session(tmp_path / "a", Pretender())
    check = session(tmp_path / "b", Pretender())
    earlier, rows = stored(tmp_path / "a"), stored(tmp_path / "b")
    times = {row["key"]: row["at"] for row in earlier}
    kept = [row for row in rows if row["how"] == "kept"]
    canaries = [row for row in rows if row["how"] == "canary"]
    events = read_rows(tmp_path / "b" / "run" / "events.jsonl")

    assert {row["key"]: row["at"] for row in kept} == times
    assert check.since == min(times.values()) < min(row["at"] for row in canaries)
    assert sorted(row["sample"] for row in canaries) == [0] * 4 + [1] * 4
    assert [(event["kind"], event["detail"]["rows"]) for event in events] == [("self_check_kept", 24)]


def test_canaries_differ_from_run_to_run(tmp_path: Path) -> None:
    """They are drawn at random from 495² equally likely sets."""
    session(tmp_path / "a", Pretender())
    draws = set()
    for name in "bcdef":
        session(tmp_path / name, Pretender())
        draws.add(frozenset(row["key"] for row in stored(tmp_path / name) if row["how"] == "canary"))

    assert len(draws) > 1


def test_full_insists_on_all(tmp_path: Path) -> None:
    """This includes a folder with rows of an earlier run; its results are stored too."""
    session(tmp_path / "a", Pretender())
    session(tmp_path / "b", Pretender())
    pool = Pretender()
    check = session(tmp_path / "b", pool, self_check="full")
    again = session(tmp_path / "c", Pretender())

    assert (len(pool.executed), check.kept, check.canaries) == (24, 0, 0)
    assert again.since >= min(row["at"] for row in stored(tmp_path / "b") if "how" not in row)


def test_a_finished_run_looked_at_again_executes_nothing(tmp_path: Path) -> None:
    """It executes neither canaries nor rows, and reports the same."""
    session(tmp_path / "a", Pretender())
    first = session(tmp_path / "b", Pretender())
    pool = Pretender()

    assert (session(tmp_path / "b", pool), pool.taken) == (first, 0)


def test_a_run_that_goes_on_proves_its_sandbox_again(tmp_path: Path) -> None:
    """It does so in the session that judges, even if the folder has all rows."""
    session(tmp_path / "a", Pretender())
    verdicts = tmp_path / "a" / "run" / "verdicts.jsonl"
    verdicts.write_bytes(b"".join(verdicts.read_bytes().splitlines(keepends=True)[:5]))
    pool = Pretender()
    session(tmp_path / "a", pool)

    assert len(pool.executed) == TASKS - 5 + CANARIES


def test_some_of_the_tasks_add_to_what_is_kept(tmp_path: Path) -> None:
    """A run of the first ten stores twenty rows; a run of all uses them and executes four."""
    some, rest, again = Pretender(), Pretender(), Pretender()
    session(tmp_path / "a", some, limit=10, answers=10)
    check = session(tmp_path / "b", rest)
    session(tmp_path / "c", again)

    assert (len(some.executed), check.kept, check.gold_total) == (20 + 10, 20, 12)
    assert (len(rest.executed), len(again.executed)) == (4 + CANARIES + TASKS, CANARIES + TASKS)


def test_few_answers_are_all_proved(tmp_path: Path, cache: Path) -> None:
    """Drawing from sixteen would save nothing, and nothing is stored."""
    for name in "ab":
        pool = Pretender()
        session(tmp_path / name, pool, limit=FEW // 2, answers=FEW // 2)
        assert len(pool.executed) == FEW + FEW // 2

    assert not cache.exists()


def test_what_is_kept_tells_nothing_of_the_tasks(tmp_path: Path, cache: Path) -> None:
    """No reason and no output is stored: data may be hidden, and a folder may be without tasks."""
    said = lambda job: msgspec.structs.replace(by_text(job), detail="a secret", stdout="a secret")  # noqa: E731
    session(tmp_path / "a", Pretender(said))
    session(tmp_path / "b", Pretender(), keep_tasks=False)
    (file,) = cache.iterdir()

    assert b"secret" not in file.read_bytes()
    assert b"secret" not in (tmp_path / "b" / "run" / "self_check.jsonl").read_bytes()


# Faults of a broken machine, by layer: the outcome of everything that is executed there.
BROKEN = {
    "a jail that does not start": "sandbox_error",
    "a clock that runs ahead": "timed_out",
    "limits that hold nothing": "out_of_memory",
    "an interpreter that raises": "exception",
    "a judge that takes everything": "passed",
}


@pytest.mark.parametrize("outcome", BROKEN.values(), ids=BROKEN)
def test_a_machine_that_broke_since_voids_the_run(outcome: str, tmp_path: Path, cache: Path) -> None:
    """No verdict is stored, the stored proof is deleted, and the next run executes everything."""
    session(tmp_path / "a", Pretender())
    with pytest.raises(BenchwrightError) as caught:
        session(tmp_path / "b", Pretender(lambda _: judged_as(outcome, detail="because")))
    run = tmp_path / "b" / "run"

    assert isinstance(caught.value, PrerequisiteError if outcome == "sandbox_error" else SelfCheckError)
    assert caught.value.hint == "benchwright doctor"
    assert (read_rows(run / "verdicts.jsonl"), list(cache.iterdir())) == ([], [])
    assert not (run / "self_check.jsonl").exists()
    assert read_rows(run / "events.jsonl")[-1]["kind"] == "canary_failed"
    pool = Pretender()
    assert session(tmp_path / "b", pool).kept == 0
    assert len(pool.executed) == 24 + TASKS


def test_the_canary_that_failed_is_named(tmp_path: Path) -> None:
    """The message has its outcome, and that it passed before."""
    session(tmp_path / "a", Pretender())
    with pytest.raises(SelfCheckError, match=r"gold of task Small/\d+: wrong") as caught:
        session(tmp_path / "b", Pretender(lambda job: judged_as("wrong")))

    assert "the self-check passed before, so this machine has changed" in caught.value.message


def test_trouble_that_a_canary_got_over_is_remembered(tmp_path: Path) -> None:
    """It is recorded as for any answer."""
    session(tmp_path / "a", Pretender())
    troubled = lambda job: msgspec.structs.replace(by_text(job), trouble="it was gone")  # noqa: E731
    watch = Listener()
    session(tmp_path / "b", Pretender(troubled), watch=watch)

    assert watch.heard.count(("note", "sandbox restarted: it was gone")) == CANARIES + TASKS


def cut(file: Path) -> None:
    """Truncate it, as a full disk does."""
    file.write_bytes(file.read_bytes()[:-20])


def forged(file: Path) -> None:
    """Write rows with a wrong digest."""
    file.write_bytes(file.read_bytes().replace(b"passed", b"failed"))


def of_others(file: Path) -> None:
    """Make it writable for others."""
    file.chmod(0o666)


def of_another_format(file: Path) -> None:
    """Write a valid file without rows of verdicts."""
    from benchwright.store.user_cache import write_cached

    write_cached(file, b'{"key": 1}\n', files=9)


@pytest.mark.parametrize("spoil", [cut, forged, of_others, of_another_format])
def test_a_damaged_cache_is_told_and_made_anew(
    spoil: Callable[[Path], None], tmp_path: Path, cache: Path
) -> None:
    """All are executed again, and the next run finds a valid file."""
    session(tmp_path / "a", Pretender())
    (file,) = cache.iterdir()
    spoil(file)
    pool, watch, next_one = Pretender(), Listener(), Pretender()
    check = session(tmp_path / "b", pool, watch=watch)
    session(tmp_path / "c", next_one)
    notes = [heard[1] for heard in watch.heard if heard[0] == "note"]

    assert (check.kept, len(pool.executed), len(next_one.executed)) == (0, 24 + TASKS, CANARIES + TASKS)
    assert ["self-check cache ignored" in note for note in notes] == [True]


def test_rows_that_are_not_as_they_should_be_are_not_taken(tmp_path: Path) -> None:
    """A file with a failed gold answer or a passed stub, whatever its cause."""
    plan = planned(tmp_path)
    session(tmp_path / "a", Pretender())
    kept = SelfCheckCache(plan, Listener())
    rows = [msgspec.structs.replace(row, outcome="passed") for row in kept.rows()]
    kept.keep(rows)
    pool = Pretender()
    check = session(tmp_path / "b", pool)

    assert (check.kept, len(pool.executed)) == (12, 12 + 4 + TASKS)


def test_a_cache_that_cannot_be_written_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run executes all."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    pools = [Pretender(), Pretender()]
    for name, pool in zip("ab", pools, strict=True):
        assert session(tmp_path / name, pool).holds

    assert [len(pool.executed) for pool in pools] == [24 + TASKS] * 2


def rebooted(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Restart the machine."""
    (place / "boot").write_text("another")
    monkeypatch.setattr(machine_identity, "BOOT", place / "boot")


def other_interpreter(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Replace the interpreter."""
    monkeypatch.setattr(machine_identity, "interpreter_identity", lambda: {"path": "/other"})


def other_code(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Change the program without a new version."""
    (place / "code").mkdir()
    monkeypatch.setattr(self_check, "_PACKAGE", place / "code")


def other_version(monkeypatch: pytest.MonkeyPatch, place: Path) -> None:
    """Update the program."""
    monkeypatch.setattr(self_check, "VERSION", "99")


@pytest.mark.parametrize("change", [rebooted, other_interpreter, other_code, other_version])
def test_after_a_change_all_is_proved_anew(
    change: Callable[[pytest.MonkeyPatch, Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The earlier proof is kept for the earlier state."""
    session(tmp_path / "a", Pretender())
    pool = Pretender()
    with monkeypatch.context() as changed:
        change(changed, tmp_path)
        assert session(tmp_path / "b", pool).kept == 0

    assert (len(pool.executed), session(tmp_path / "c", Pretender()).kept) == (24 + TASKS, 24)


@pytest.mark.parametrize(
    "changed",
    [{"limits": Limits(cpu_s=9.0)}, {"jail": "bubblewrap"}, {"form": "calls"}],
    ids=["limits", "jail", "form"],
)
def test_another_way_to_run_answers_is_proved_by_itself(changed: dict[str, Any], tmp_path: Path) -> None:
    """Options that decide a verdict, or the sandbox."""
    need_jail(changed.get("jail", "native"))
    usual = scope(planned(tmp_path, jail="native", form="batch"))

    assert usual != scope(planned(tmp_path, **{"jail": "native", "form": "batch", **changed}))


def test_a_machine_that_cannot_be_told_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """Without a boot id a restart would not be noticed."""
    monkeypatch.setattr(machine_identity, "BOOT", tmp_path / "none")
    session(tmp_path / "a", Pretender())

    assert (session(tmp_path / "b", Pretender()).kept, cache.exists()) == (0, False)


def test_a_track_of_another_package_is_proved_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its version, and that of its judge, are unknown here."""
    plan = planned(tmp_path)
    monkeypatch.setattr("benchwright.registry.JUDGES", {})
    without_judge = scope(plan)
    monkeypatch.undo()
    monkeypatch.setattr("benchwright.registry.TRACKS", {})

    assert (without_judge, scope(plan)) == (None, None)


def test_before_a_live_model_is_paid_some_are_judged(tmp_path: Path) -> None:
    """If the sandbox has broken since, no request is sent."""
    session(tmp_path / "a", Pretender())
    plan = planned(tmp_path, model="openai:some", asking=RequestOptions(base_url="http://127.0.0.1:9/v1"))
    broken, sound = Pretender(lambda _: judged_as("sandbox_error")), Pretender()
    with folder_of(plan, tmp_path / "b") as folder:
        with pytest.raises(PrerequisiteError, match="the sandbox cannot run answers"):
            SelfChecking(plan, folder, Listener()).prove(broken)
        check = SelfChecking(plan, folder, Listener()).prove(sound)

    assert (len(broken.executed), len(sound.executed), check.canaries) == (5, CANARIES, CANARIES)


def test_what_a_worker_is_given_looks_like_an_answer(tmp_path: Path) -> None:
    """Model, sample and prompt are those of the run's answers."""
    session(tmp_path / "a", Pretender())
    plan = planned(tmp_path)
    pool = _Looking()
    with folder_of(plan, tmp_path / "b") as folder:
        checking = SelfChecking(plan, folder, Listener())
        checking.prove(pool)
        store(folder, (answer(number, sample=3, prompt="plain") for number in range(TASKS)))
        judge_answers(plan, folder, checking.among(pool), Listener(), profile="strict")

    assert len(pool.seen) == TASKS + CANARIES
    assert {(given.model, given.sample, given.prompt, given.error) for given in pool.seen} == {
        ("m", 3, "plain", None)
    }


class _Looking(Pretender):
    """Records the answers that workers receive."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Any] = []

    def _end(self, job: Any) -> Any:
        self.seen.append(job.given)
        return super()._end(job)


def test_the_programs_are_those_of_the_data(tmp_path: Path) -> None:
    """Canaries are extracted and judged as any answer, with the task's own spec."""
    session(tmp_path / "a", Pretender())
    pool = Pretender()
    session(tmp_path / "b", pool)
    raised: list[WorkerProgram] = [job for job in pool.executed if "NotImplementedError" in job.program]

    assert (len(raised), len({job.spec.entry_point for job in raised})) == (4, 4)  # type: ignore[attr-defined]

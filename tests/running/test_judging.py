"""Every answer gets one verdict, none is executed twice, and failures of the harness are repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.progress import Silent
from benchwright.records import Answer, Outcome, Verdict
from benchwright.running import judging
from benchwright.running.answering import ask_questions
from benchwright.running.judging import judge, judge_answers, verdict_key
from benchwright.running.plan import Plan
from benchwright.sandbox.limits import Limits
from kit.run_stages import Listener, Pretender, answer, folder_of, judged_as, plan_of, store
from kit.small_data import answers, humaneval, humaneval_row, read_rows, write

ERROR = "the zygote has ended"


def _deaf(text: str) -> None:
    raise AssertionError(f"nothing was wrong, but: {text}")


def _judged(plan: Plan, pool: Pretender, given: list[Answer], **options: Any) -> list[Verdict]:
    options = {"profile": "strict", "trouble": _deaf, **options}
    return list(judge(plan, pool, given, **options))


def _fill(plan: Plan, place: Path, pool: Pretender, *, profile: str = "strict") -> Listener:
    """Run one session: judge the answers in the folder, and release it."""
    watch = Listener()
    with folder_of(plan, place) as folder:
        judge_answers(plan, folder, pool, watch, profile=profile)
    return watch


def _stored(plan: Plan, place: Path, given: list[Answer]) -> None:
    with folder_of(plan, place) as folder:
        store(folder, given)


def test_a_verdict_has_all_that_was_seen(tmp_path: Path) -> None:
    """The judge's measurements, how the program was extracted, and the answer's identity."""
    plan = plan_of(tmp_path)
    seen = judged_as("wrong", detail="gave 1", cpu_s=0.25, wall_s=0.5, stdout="hello")
    given = answer(1, 2, finish_reason="length")
    (verdict,) = _judged(plan, Pretender(lambda _: seen), [given])

    assert (verdict.task_id, verdict.sample, verdict.profile) == ("Small/1", 2, "strict")
    assert (verdict.outcome, verdict.detail, verdict.stdout) == (Outcome.wrong, "gave 1", "hello")
    assert (verdict.cpu_s, verdict.wall_s, verdict.truncated) == (0.25, 0.5, True)
    assert (bool(verdict.rule), verdict.key) == (True, verdict_key(plan, given.key, "strict"))


@pytest.mark.parametrize("ahead", [1, 2, 7, 100])
def test_judgements_in_any_order_find_their_answers(ahead: int, tmp_path: Path) -> None:
    """A pool ends jobs in any order; each answer gets its own outcome."""
    plan = plan_of(tmp_path, n=5)
    given = [
        answer(task, sample, f"    return {task * 10 + sample}\n") for task in range(3) for sample in range(5)
    ]
    pool = Pretender(lambda job: judged_as("wrong", detail=job.program.split()[-1]), ahead=ahead)
    seen = {(verdict.task_id, verdict.sample): verdict.detail for verdict in _judged(plan, pool, given)}

    assert seen == {
        (f"Small/{task}", sample): str(task * 10 + sample) for task in range(3) for sample in range(5)
    }


def test_only_answers_at_work_are_held(tmp_path: Path) -> None:
    """A run of a million answers is read from its file while verdicts are made."""
    plan, taken, ahead = plan_of(tmp_path), 0, []

    def counted() -> Any:
        nonlocal taken
        for sample in range(50):
            taken += 1
            yield answer(0, sample)

    pool = Pretender(ahead=3)
    for done, _ in enumerate(judge(plan, pool, counted(), profile="strict", trouble=_deaf)):
        ahead.append(taken - done)

    assert max(ahead) <= 3


@pytest.mark.parametrize(
    ("text", "error", "outcome"),
    [
        ("I am sorry, but I cannot help with that.", None, "no_code"),
        ("```python\ndef plus_0(x):\n    return (x +\n```", None, "syntax_error"),
        ("", "HTTP 500\x1b[31m", "model_error"),
        ("    return x\n", "the connection was cut", "model_error"),
    ],
)
def test_what_cannot_be_run_is_not_executed(
    text: str, error: str | None, outcome: str, tmp_path: Path
) -> None:
    """Its outcome is known, and the server's text cannot control a terminal."""
    pool = Pretender()
    (verdict,) = _judged(plan_of(tmp_path), pool, [answer(0, text=text, error=error)])

    assert (verdict.outcome.value, pool.executed) == (outcome, [])
    assert ("\x1b" in verdict.detail, bool(verdict.detail)) == (False, True)


def test_an_attempt_to_cheat_is_named_whatever_came_of_it(tmp_path: Path) -> None:
    """The program's text is examined, whatever its outcome."""
    cheat = (
        "class Same:\n    def __eq__(self, other):\n        return True\ndef plus_0(x):\n    return Same()\n"
    )
    honest, caught = _judged(plan_of(tmp_path), Pretender(), [answer(0), answer(0, 1, cheat)])

    assert (honest.suspicious, "equals everything" in caught.suspicious) == ("", True)


def test_another_profile_takes_the_program_in_its_own_way(tmp_path: Path) -> None:
    """The verdict and its key have the profile."""
    plan, fenced = plan_of(tmp_path), answer(0, text="```\ndef plus_0(x):\n    return x\n```")
    pool = Pretender()
    (strict,), (mera,) = (_judged(plan, pool, [fenced], profile=name) for name in ("strict", "mera-code"))
    programs = [job.program for job in pool.executed]

    assert (strict.profile, mera.profile, strict.key == mera.key) == ("strict", "mera-code", False)
    assert (len(programs), "```" in programs[0]) == (1, False)
    assert (mera.outcome, mera.rule) == (Outcome.syntax_error, "mera-code")


def test_the_key_has_all_that_decides_a_verdict(tmp_path: Path) -> None:
    """Another limit, form or profile may give another verdict; another path of the same data does not."""
    (tmp_path / "copy").mkdir()
    changes: list[dict[str, Any]] = [
        {},
        {"limits": Limits(cpu_s=1.0)},
        {"limits": Limits(memory_mb=64)},
        {"form": "batch"},
    ]
    keys = [verdict_key(plan_of(tmp_path, **changed), "a", "strict") for changed in changes]
    keys += [verdict_key(plan_of(tmp_path), "b", "strict"), verdict_key(plan_of(tmp_path), "a", "mera-code")]
    same = verdict_key(plan_of(tmp_path, data=str(humaneval(tmp_path / "copy")), n=3), "a", "strict")

    assert (len(set(keys)), same) == (len(keys), keys[0])


def test_another_version_of_judging_judges_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A verdict of earlier judging rules is not valid."""
    from benchwright.running import plan as plan_module

    before = verdict_key(plan_of(tmp_path), "a", "strict")
    monkeypatch.setattr(plan_module, "JUDGING", plan_module.JUDGING + 1)

    assert verdict_key(plan_of(tmp_path), "a", "strict") != before


def test_a_second_session_executes_nothing(tmp_path: Path) -> None:
    """All verdicts are valid, and their file is unchanged."""
    plan, pool = plan_of(tmp_path), Pretender()
    _stored(plan, tmp_path, [answer(task) for task in range(3)])
    first = _fill(plan, tmp_path, Pretender())
    before = (tmp_path / "run" / "verdicts.jsonl").read_bytes()
    second = _fill(plan, tmp_path, pool)

    assert (first.heard[0], second.heard[0]) == (("begin", "verdicts", 3, 0), ("begin", "verdicts", 3, 3))
    assert (pool.taken, (tmp_path / "run" / "verdicts.jsonl").read_bytes()) == (0, before)


def test_a_task_that_is_in_the_data_twice_goes_on_by_itself(tmp_path: Path) -> None:
    """Answers to rows of equal content have one key; those to the second are asked and judged too."""
    rows = [humaneval_row(0), humaneval_row(0, task_id="Small/again")]
    data = write(tmp_path / "twice.jsonl", rows)
    plan = plan_of(tmp_path, data=str(data))
    for name in ("answers.jsonl", "verdicts.jsonl"):
        with folder_of(plan, tmp_path) as folder:
            ask_questions(plan, folder, Silent())
            judge_answers(plan, folder, Pretender(), Silent(), profile="strict")
        path = tmp_path / "run" / name
        lines = path.read_bytes().splitlines(keepends=True)
        assert len(lines) == 2
        path.write_bytes(lines[0])  # as after a kill
    with folder_of(plan, tmp_path) as folder:
        ask_questions(plan, folder, Silent())
        judge_answers(plan, folder, Pretender(), Silent(), profile="strict")
        found = [list(folder.answers()), list(folder.verdicts())]

    assert [[row.task_id for row in each] for each in found] == [["Small/0", "Small/again"]] * 2


def test_what_a_killed_session_left_open_is_judged_and_no_more(tmp_path: Path) -> None:
    """Its incomplete last line is removed, and that answer is executed again."""
    plan, pool = plan_of(tmp_path), Pretender()
    _stored(plan, tmp_path, [answer(task) for task in range(3)])
    _fill(plan, tmp_path, Pretender())
    path = tmp_path / "run" / "verdicts.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    _fill(plan, tmp_path, pool)

    assert ([job.program.split("(")[0] for job in pool.executed], len(read_rows(path))) == (["def plus_2"], 3)
    assert [row["kind"] for row in read_rows(tmp_path / "run" / "events.jsonl")] == ["cut"]


@pytest.mark.parametrize("missing", ["sandbox_error", "model_error"])
def test_an_answer_that_the_harness_failed_is_judged_again(missing: str, tmp_path: Path) -> None:
    """A missing verdict is not valid; after `finalize` only the later one is left."""
    plan = plan_of(tmp_path)
    _stored(plan, tmp_path, [answer(task) for task in range(3)])
    failing = Pretender(lambda job: judged_as(missing if "_1" in job.program else "passed"))
    _fill(plan, tmp_path, failing)
    again = Pretender()
    watch = _fill(plan, tmp_path, again)
    with folder_of(plan, tmp_path) as folder:
        folder.finalize(lambda head: plan.rank(head.task_id, head.sample))

    assert (watch.heard[0], len(again.executed)) == (("begin", "verdicts", 3, 2), 1)
    assert [row["outcome"] for row in read_rows(tmp_path / "run" / "verdicts.jsonl")] == ["passed"] * 3


@pytest.mark.parametrize("outcome", [each.value for each in Outcome if not each.is_missing])
def test_a_verdict_about_the_model_stands(outcome: str, tmp_path: Path) -> None:
    """This holds for any verdict: an answer gets no second chance."""
    plan, again = plan_of(tmp_path, tasks=1), Pretender()
    _stored(plan, tmp_path, [answer(0)])
    _fill(plan, tmp_path, Pretender(lambda _: judged_as(outcome)))
    _fill(plan, tmp_path, again)

    assert again.taken == 0


def test_an_answer_that_was_asked_for_again_replaces_the_failed_one(tmp_path: Path) -> None:
    """The first session stored a failure under the key of the second one's answer."""
    plan = plan_of(tmp_path, tasks=1)
    _stored(plan, tmp_path, [answer(0, text="", error="HTTP 503")])
    _fill(plan, tmp_path, Pretender())
    _stored(plan, tmp_path, [answer(0)])
    with folder_of(plan, tmp_path) as folder:
        folder.finalize(lambda head: plan.rank(head.task_id, head.sample), profiles=())
    _fill(plan, tmp_path, Pretender())

    assert [row["outcome"] for row in read_rows(tmp_path / "run" / "verdicts.jsonl")] == [
        "model_error",
        "passed",
    ]


def test_profiles_have_files_of_their_own(tmp_path: Path) -> None:
    """Verdicts of one profile are not used by another."""
    plan = plan_of(tmp_path, profiles=("strict", "mera-code"))
    _stored(plan, tmp_path, [answer(task) for task in range(3)])
    first, second = Pretender(), Pretender()
    _fill(plan, tmp_path, first)
    watch = _fill(plan, tmp_path, second, profile="mera-code")

    assert (watch.heard[0], len(first.executed), len(second.executed)) == (
        ("begin", "verdicts (mera-code)", 3, 0),
        3,
        3,
    )
    assert len(read_rows(tmp_path / "run" / "verdicts.mera-code.jsonl")) == 3


def test_a_sandbox_that_had_to_be_started_anew_is_remembered(tmp_path: Path) -> None:
    """The verdict is the answer's own; the restart is an event with its time and a note."""
    plan = plan_of(tmp_path)
    _stored(plan, tmp_path, [answer(task) for task in range(3)])
    watch = _fill(
        plan,
        tmp_path,
        Pretender(lambda job: judged_as("passed", trouble=ERROR if "_1" in job.program else "")),
    )
    events = read_rows(tmp_path / "run" / "events.jsonl")

    assert events == [{"at": "now", "kind": "sandbox_retry", "detail": {"why": ERROR}}]
    assert [words for words in watch.heard if words[0] == "note"] == [("note", f"sandbox restarted: {ERROR}")]
    assert [row["outcome"] for row in read_rows(tmp_path / "run" / "verdicts.jsonl")] == ["passed"] * 3


def test_who_watches_hears_of_each_verdict(tmp_path: Path) -> None:
    """A stage has a start, a tick with each outcome, and an end."""
    plan = plan_of(tmp_path)
    _stored(plan, tmp_path, [answer(0), answer(1, text="no code here."), answer(2)])
    watch = _fill(plan, tmp_path, Pretender())

    assert watch.heard == [
        ("begin", "verdicts", 3, 0),
        ("tick", "passed"),
        ("tick", "no_code"),
        ("tick", "passed"),
        ("end",),
    ]


def test_what_was_judged_before_a_failure_is_kept(tmp_path: Path) -> None:
    """Ctrl-C or a full disk ends the stage; the next session continues after the last verdict."""

    def interrupted(job: Any) -> Any:
        if "_1" in job.program:
            raise KeyboardInterrupt
        return judged_as("passed")

    plan, watch, rest = plan_of(tmp_path), Listener(), Pretender()
    _stored(plan, tmp_path, [answer(task) for task in range(3)])
    with folder_of(plan, tmp_path) as folder, pytest.raises(KeyboardInterrupt):
        judge_answers(plan, folder, Pretender(interrupted), watch, profile="strict")
    _fill(plan, tmp_path, rest)

    assert (watch.heard[-1], len(rest.executed)) == (("end",), 2)


def test_a_spec_is_made_once_for_a_task(tmp_path: Path) -> None:
    """A spec is sent to workers only if it is another object than the one before."""
    plan, pool = plan_of(tmp_path, n=4), Pretender()
    _judged(plan, pool, [answer(task, sample) for task in range(2) for sample in range(4)])

    assert len({id(job.spec) for job in pool.executed}) == 2


def test_a_run_folder_is_told_of_through_the_reporter(tmp_path: Path) -> None:
    """Each call of the reporter is one event and one note."""
    watch = Listener()
    with folder_of(plan_of(tmp_path), tmp_path) as folder:
        report = judging.reporter(folder, watch)
        report("first")
        report("second")

    whys = [row["detail"]["why"] for row in read_rows(tmp_path / "run" / "events.jsonl")]
    assert (whys, len(watch.heard)) == (["first", "second"], 2)


@pytest.mark.usefixtures("jail")
def test_stored_answers_and_a_real_pool(tmp_path: Path) -> None:
    """From a file of answers to verdicts, without fakes."""
    from benchwright.executing.pool import Pool

    outcomes = ("passed", "wrong", "exception", "no_code")
    plan = plan_of(tmp_path, tasks=1, model=f"replay:{answers(tmp_path, 1, outcomes=outcomes)}")
    given = [
        answer(0, sample, row["completion"])
        for sample, row in enumerate(read_rows(tmp_path / "answers.jsonl"))
    ]
    with Pool(workers=1, track="humaneval") as pool:
        seen = {verdict.sample: verdict.outcome.value for verdict in _judged(plan, pool, given)}  # type: ignore[arg-type]

    assert seen == dict(enumerate(outcomes))

"""Asking and judging in turns: failed answers are repaired, and only the last answer of a chain counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from benchwright import registry
from benchwright.contracts import Attempt, Executor, Job, Judgement, Prompt, ToolCall, Track
from benchwright.errors import RunError, UsageError
from benchwright.executing.executors import ExecutorSetup, open_executor
from benchwright.records import Answer, Task, Verdict
from benchwright.running.answering import RunPrompts, make_answers
from benchwright.running.pipeline import ask_plan
from benchwright.running.plan import Plan
from benchwright.running.score_notes import notes_on_rounds
from benchwright.store.runfolder import RunFolder
from kit.asked_runs import live
from kit.live_model import LiveModel
from kit.run_stages import Listener, Pretender, WorkerProgram, folder_of, judged_as, plan_of
from kit.small_data import read_rows

SECRET = "4242"
LAST = {0: 1, 1: 2, 2: 2, 3: 0}  # by task, the last round of two at most


class Learner(LiveModel):
    """Fails task 0 at first, task 1 twice, task 2 always; task 3 is right at once."""

    takes = frozenset({"history"})

    def __init__(self, **more: Any) -> None:
        super().__init__(self.reply, **more)

    def reply(self, prompt: Prompt, task: Task) -> str:
        number = int(str(task.task_id).rpartition("/")[2])
        turn = len(prompt.history) // 2
        rights = {0: 1, 1: 2, 2: 99, 3: 0}
        return f"    return {'right' if turn >= rights[number] else 'bad'}  # {turn}\n"


def decide(job: WorkerProgram) -> Judgement:
    """Wrong answers raise, and the verdict's detail has the test's values."""
    if "return bad" in job.program:
        return judged_as("exception", detail=f"expected {SECRET}", traceback="NameError: bad (line 3)")
    return judged_as("passed")


def repaired(
    monkeypatch: pytest.MonkeyPatch,
    place: Path,
    model: LiveModel,
    *,
    pool: Pretender | None = None,
    **changed: Any,
) -> tuple[Plan, RunFolder]:
    """Run the stage on four tasks."""
    place.mkdir(exist_ok=True)
    options = {"agent": "repair", "rounds": 2, "n": 1, "tasks": 4, **changed}
    plan = live(monkeypatch, place, model, **options)
    assert plan.agent is not None
    with folder_of(plan, place) as folder:
        make_answers(plan, folder, pool or Pretender(decide), Listener())
    return plan, folder


def ends(folder: RunFolder) -> list[tuple[Any, str, int]]:
    """Return how each answer ended, and in which round."""
    return [(row.task_id, row.outcome.value, row.round) for row in folder.verdicts()]


def test_only_failed_answers_are_asked_about_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Until they pass or no round is left; the last answer of a chain is the run's, with its round."""
    model = Learner()
    _, folder = repaired(monkeypatch, tmp_path, model)
    asked = sorted((str(prompt.task_id), len(prompt.history) // 2) for prompt in model.asked)

    assert ends(folder) == [
        ("Small/0", "passed", 1),
        ("Small/1", "passed", 2),
        ("Small/2", "exception", 2),
        ("Small/3", "passed", 0),
    ]
    assert [answer.round for answer in folder.answers()] == [1, 2, 2, 0]
    assert asked == [(f"Small/{task}", at) for task, last in LAST.items() for at in range(last + 1)]


def test_every_reply_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Replies are in the order of tasks and rounds, each with its verdict."""
    _, folder = repaired(monkeypatch, tmp_path, Learner())
    kept = [(row["task_id"], row.get("round", 0)) for row in read_rows(folder.path / "rounds.answers.jsonl")]
    judged = [
        (row["task_id"], row.get("round", 0)) for row in read_rows(folder.path / "rounds.verdicts.jsonl")
    ]

    assert kept == judged
    assert kept == [
        (f"Small/{task}", at) for task, last in ((0, 1), (1, 2), (2, 2), (3, 0)) for at in range(last + 1)
    ]


def test_the_conversation_goes_on_and_holds_no_expected_value(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It has the first prompt, the answer and the result of its execution, for each round."""
    model = Learner()
    plan, _ = repaired(monkeypatch, tmp_path, model)
    first = next(prompt for prompt in RunPrompts(plan) if prompt.task_id == "Small/1")
    last = next(each for each in model.asked if each.task_id == "Small/1" and len(each.history) == 4)

    assert [message.role for message in last.history] == ["user", "assistant", "user", "assistant"]
    assert last.history[0].content == first.text
    assert last.history[1].content == "    return bad  # 0\n"
    assert all("NameError: bad" in told for told in (last.text, last.history[2].content))
    assert not any(SECRET in text for text in (last.text, *(each.content for each in last.history)))


def test_the_first_round_is_the_plain_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keys and seeds are equal, so the two runs differ only in the repairs."""
    model = Learner()
    plan, _ = repaired(monkeypatch, tmp_path, model)
    plain = live(monkeypatch, tmp_path, Learner(), tasks=4, n=1)

    assert [each.key for each in RunPrompts(plan)] == [each.key for each in RunPrompts(plain)]
    assert {each.key for each in model.asked if not each.history} == {each.key for each in RunPrompts(plain)}


class Ended(Exception):
    """Raised in place of a kill."""


@pytest.mark.parametrize("after", range(4))
def test_a_run_that_was_ended_asks_nothing_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, after: int
) -> None:
    """It may end anywhere in each round; the files are then those of an undisturbed run."""
    _, whole = repaired(monkeypatch, tmp_path / "whole", Learner())
    asked: list[str] = []
    for _ in range(12):
        model = Learner(ends=(after, Ended))
        try:
            _, folder = repaired(monkeypatch, tmp_path / "ended", model)
        except Ended:
            continue
        finally:
            asked += [prompt.key for prompt in model.asked]
        break
    else:
        model = Learner()
        _, folder = repaired(monkeypatch, tmp_path / "ended", model)
        asked += [prompt.key for prompt in model.asked]
    names = ("answers.jsonl", "verdicts.jsonl", "rounds.answers.jsonl", "rounds.verdicts.jsonl")

    assert len(asked) == len(set(asked)) == 9
    assert [(folder.path / name).read_bytes() for name in names] == [
        (whole.path / name).read_bytes() for name in names
    ]


def test_judging_that_was_ended_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No answer is judged twice, and none is requested again."""
    judged: list[str] = []

    def failing(at: int) -> Callable[[WorkerProgram], Judgement]:
        def decided(job: WorkerProgram) -> Judgement:
            if len(judged) == at:
                raise KeyboardInterrupt
            judged.append(job.program)
            return decide(job)

        return decided

    models = [Learner() for _ in range(3)]
    for at, model in zip((2, 6), models, strict=False):
        with pytest.raises(KeyboardInterrupt):
            repaired(monkeypatch, tmp_path, model, pool=Pretender(failing(at)))
    _, folder = repaired(monkeypatch, tmp_path, models[2], pool=Pretender(failing(-1)))
    asked = [prompt.key for model in models for prompt in model.asked]

    assert (len(judged), len(asked), len(set(asked))) == (9, 9, 9)
    assert [outcome for _, outcome, _ in ends(folder)] == ["passed", "passed", "exception", "passed"]


def test_a_budget_that_is_reached_ends_a_round_cleanly(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Answers are stored and their cost of all rounds is counted; the same call continues."""

    class Poor(Learner):
        """Returns as many answers as the budget pays for."""

        def answer(self, prompts: Any, tasks: Any) -> Any:
            held = self.told or (0, 0)
            left = 6 - held[1] // 5
            for number, answer in enumerate(super().answer(prompts, tasks)):
                if number >= left:
                    self.asked.pop()
                    return
                yield answer

    model, rich = Poor(), Learner()
    with pytest.raises(RunError, match="1 of 3 questions not asked"):
        repaired(monkeypatch, tmp_path, model)
    _, folder = repaired(monkeypatch, tmp_path, rich)
    asked = [prompt.key for prompt in (*model.asked, *rich.asked)]

    assert model.told == (40, 20)
    assert len(asked) == len(set(asked)) == 9
    assert len(ends(folder)) == 4


def test_an_answer_that_never_came_is_missing_and_asked_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A server error in a later round is not the model's fault, and ends that chain until the next call."""
    broken = Learner(fails=lambda prompt: "503" if prompt.task_id == "Small/0" and prompt.history else None)
    _, folder = repaired(monkeypatch, tmp_path, broken)
    before = ends(folder)[0]
    mended = Learner()
    _, folder = repaired(monkeypatch, tmp_path, mended)

    assert before == ("Small/0", "model_error", 1)
    assert ends(folder)[0] == ("Small/0", "passed", 1)
    assert [(prompt.task_id, len(prompt.history)) for prompt in mended.asked] == [("Small/0", 2)]


def test_a_cheat_is_not_asked_about_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It gets no second attempt."""
    model = Learner()
    pool = Pretender(lambda job: judged_as("tampered" if "bad" in job.program else "passed"))
    repaired(monkeypatch, tmp_path, model, pool=pool)

    assert len(model.asked) == 4


def test_withheld_tasks_stay_out_of_the_folder_and_of_the_conversation(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An answer may put its arguments into an exception: the model learns that it raised, not the message."""
    model = Learner()
    plan, folder = repaired(monkeypatch, tmp_path, model, keep_tasks=False)

    assert plan.withheld
    assert not any("NameError" in prompt.text for prompt in model.asked)
    assert not any(row.traceback or row.detail for row in folder.rounds().verdicts())


def test_stored_rounds_are_replayed_without_the_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The file of all rounds gives the same answers in the same rounds; a file with one answer per task has
    no second round."""
    _, folder = repaired(monkeypatch, tmp_path, Learner())
    again = tmp_path / "again"
    again.mkdir()
    plan = plan_of(
        again, tasks=4, model=f"replay:{folder.path / 'rounds.answers.jsonl'}", agent="repair", rounds=2
    )
    assert plan.agent is not None
    with folder_of(plan, again) as replayed:
        make_answers(plan, replayed, Pretender(decide), Listener())

    assert ends(replayed) == ends(folder)
    assert [answer.text for answer in replayed.answers()] == [answer.text for answer in folder.answers()]


def test_what_each_round_brought_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The note states that the score includes the agent."""
    plan, folder = repaired(monkeypatch, tmp_path, Learner())
    assert plan.agent is not None
    note = notes_on_rounds(plan.agent, folder.verdicts())

    assert "1 of 4 answers passed at once, 1 of 3 in round 1, 1 of 2 in round 2;" in note
    assert "the score of model and agent together" in note


class Toolsmith(LiveModel):
    """Requests two tools for each task, one per turn, then answers."""

    takes = frozenset({"history"})

    def __init__(self, **more: Any) -> None:
        super().__init__(lambda prompt, task: ["count", "count", "    return x\n"][prompt.round], **more)


class Counter:
    """An agent with one tool that counts in a file."""

    name, rounds, judged, system = "counter", 3, False, "Count."
    tools: ClassVar = {"count": "def count():\n    open('n', 'a').write('+')\n    return open('n').read()\n"}

    def check(self, track: Track) -> None:
        """Any."""

    def calls(self, answer: Answer) -> Sequence[ToolCall]:
        """Return a call if the reply requests one."""
        return [ToolCall(name="count")] if answer.text == "count" else []

    def reply(self, attempt: Attempt) -> str | None:
        """Return the count."""
        return f"so far {attempt.calls[0].result}" if attempt.calls else None


class CountedTools:
    """An executor of tools that counts executed programs, and ends after a number of them."""

    def __init__(self, executor: Executor, ends: int = -1) -> None:
        self.size, self._executor, self.executed, self._ends = executor.size, executor, 0, ends

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Judge with the real executor."""
        for each in self._executor.judge(jobs):
            if self.executed == self._ends:
                raise Ended
            self.executed += 1
            yield each


@pytest.fixture(scope="module")
def workers(jail: str) -> Iterator[Executor]:
    """One worker."""
    with open_executor(ExecutorSetup(workers=1)) as executor:
        yield executor


def counted(
    monkeypatch: pytest.MonkeyPatch, place: Path, tools: CountedTools, model: Toolsmith | None = None
) -> RunFolder:
    """Run four tasks with the counting agent."""
    place.mkdir(exist_ok=True)
    monkeypatch.setattr(registry, "GROUPS", {**registry.GROUPS, "agent": {"counter": f"{__name__}:COUNTER"}})
    plan = live(monkeypatch, place, model or Toolsmith(), agent="counter", n=1, tasks=4)
    with folder_of(plan, place) as folder:
        assert make_answers(plan, folder, Pretender(), Listener(), tools=tools) == ()
    return folder


COUNTER = Counter()
FILES = ("answers.jsonl", "rounds.answers.jsonl", "trajectories.jsonl")


def test_tools_are_executed_between_turns(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, workers: Executor
) -> None:
    """Their results are the next question, each answer has separate files, and nothing is judged meanwhile."""
    model, tools = Toolsmith(), CountedTools(workers)
    folder = counted(monkeypatch, tmp_path, tools, model)
    rows = read_rows(folder.path / "trajectories.jsonl")
    asked = [[turn["asked"] for turn in row["turns"]] for row in rows]

    assert tools.executed == 8
    assert [row["task_id"] for row in rows] == [f"Small/{at}" for at in range(4)]
    assert [each[1:] for each in asked] == [["so far +", "so far ++"]] * 4
    assert all("Give x" in each[0] for each in asked)
    assert [answer.round for answer in folder.answers()] == [2] * 4
    assert {prompt.history[0].role for prompt in model.asked} == {"system"}
    assert not (folder.path / "rounds.verdicts.jsonl").exists()


@pytest.mark.parametrize("ends", range(0, 8, 3))
def test_tools_that_were_executed_are_not_executed_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, workers: Executor, ends: int
) -> None:
    """The run may end anywhere; its files are then those of an undisturbed one."""
    whole = counted(monkeypatch, tmp_path / "whole", CountedTools(workers))
    with pytest.raises(Ended), open_executor(ExecutorSetup(workers=1)) as mortal:
        ended = CountedTools(mortal, ends)
        counted(monkeypatch, tmp_path / "ended", ended)
    again = CountedTools(workers)
    folder = counted(monkeypatch, tmp_path / "ended", again)

    assert (ended.executed, again.executed) == (ends, 8 - ends)
    assert [(folder.path / name).read_bytes() for name in FILES] == [
        (whole.path / name).read_bytes() for name in FILES
    ]


def test_a_finished_run_of_an_earlier_version_gets_no_new_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its folder is unchanged; a resumed run gets its trajectories."""
    plan, folder = repaired(monkeypatch, tmp_path, Learner())
    turns = [len(row["turns"]) for row in read_rows(folder.path / "trajectories.jsonl")]
    (folder.path / "trajectories.jsonl").unlink()
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    with folder_of(plan, tmp_path) as finished:
        finished.manifest["finished"] = "now"
        make_answers(plan, finished, Pretender(decide), Listener())
    after = {path.name: path.read_bytes() for path in folder.path.iterdir()}

    assert turns == [2, 3, 3, 1]
    assert after == before


def test_tools_need_a_folder_that_may_hold_their_results(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The output of a tool may quote the task."""
    monkeypatch.setattr(registry, "GROUPS", {**registry.GROUPS, "agent": {"counter": f"{__name__}:COUNTER"}})
    with pytest.raises(UsageError, match="--agent counter: tool results may quote tasks"):
        live(monkeypatch, tmp_path, Toolsmith(), agent="counter", keep_tasks=False)


def test_asking_alone_has_no_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without judging no answer is known to have failed."""
    plan = live(monkeypatch, tmp_path, Learner(), agent="repair")
    with pytest.raises(UsageError, match="--ask-only are mutually exclusive"):
        ask_plan(plan, out=tmp_path / "run")


def test_plain_records_have_no_round() -> None:
    """Their bytes are unchanged."""
    fields = {"key": "k", "task_id": "t", "sample": 0}
    answer = Answer(model="m", text="x", **fields)
    verdict = Verdict(outcome="passed", isolation="separated", profile="strict", **fields)  # type: ignore[arg-type]

    assert (answer.round, verdict.round, verdict.traceback) == (0, 0, "")

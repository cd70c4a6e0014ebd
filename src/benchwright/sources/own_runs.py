"""Runs and builds of this platform as sources of events: judged answers, and drafts with their repairs.

`run:FOLDER` names a run folder or a folder of runs, `build:FOLDER` a build of the recipe `aicodereval` whose
drafts were written by a model. The events of a task of a benchmark, of a test split or with a canary have a
guard, by which training exports refuse them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError, RunError, UsageError
from benchwright.records import Answer, Drop, Outcome, Task, TaskId, Verdict
from benchwright.running.run_data import data_of
from benchwright.sources.event_maker import EventMaker, checked, excerpt
from benchwright.sources.events import Cleaner, RepoEvent
from benchwright.sources.session_records import SessionSteps
from benchwright.sources.source_options import source_options
from benchwright.store.named_data import is_name
from benchwright.store.runfolder import RunFolder

SOURCE = "runs"
REPLIES = "replies"  # of the model that drafted, a run folder inside a build
_MARKS = ("split", "subset", "status")
_FINISHED = "words"  # the step that is asked only after the solution was executed without a fault


def open_run(rest: str, *, licences: Collection[str] = ()) -> OwnRuns:
    """Open `FOLDER[,repo=NAME][,licence=SPDX]`. Raises UsageError or RunError for a folder without runs."""
    options = source_options(rest, ("repo", "licence"), example="run:FOLDER")
    place = Path(options.place)
    folders = (
        [place]
        if (place / "run.json").is_file()
        else sorted(each.parent for each in place.glob("*/run.json"))
    )
    if not folders:
        raise RunError(f"{escaped_path(place)} has no run", hint="name a folder with a run.json")
    return OwnRuns(folders, repo=options.get("repo"), licence=options.get("licence"))


def open_build(rest: str, *, licences: Collection[str] = ()) -> OwnBuild:
    """Open `FOLDER[,repo=NAME][,licence=SPDX]`. Raises RunError for a folder without replies of a model."""
    options = source_options(rest, ("repo", "licence"), example="build:FOLDER")
    place = Path(options.place)
    if not (place / REPLIES / "run.json").is_file():
        hint = "name a build with --model; builds from a file of drafts have no repairs"
        raise RunError(f"{escaped_path(place)} has no replies of a model", hint=hint)
    return OwnBuild(place, repo=options.get("repo"), licence=options.get("licence"))


def guard_of(task: Task, data: str) -> str:
    """Why a task may not be trained on: "canary", "test_split", or nothing.

    `data` is the name or path of its data set: a published benchmark and a file named `test` are test splits.
    """
    mappings = [each for each in (task.meta, task.inputs, task.meta.get("meta")) if isinstance(each, dict)]
    if any(each.get("canary") for each in mappings):
        return "canary"
    is_test = any(each.get(mark) == "test" for each in mappings for mark in _MARKS)
    is_published = is_name(data) or Path(data).name.partition(".")[0] == "test"
    return "test_split" if is_test or is_published else ""


class OwnRuns:
    """Finished or unfinished runs, one session for each answer."""

    def __init__(self, folders: list[Path], *, repo: str = "", licence: str = "") -> None:
        self._folders, self._repo, self._licence = folders, repo, licence

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield task, answers, verdicts and errors of each session, run by run."""
        for path in self._folders:
            run = RunFolder.read(path)
            track = str(run.manifest["identity"].get("track", "run"))
            maker = EventMaker(SOURCE, self._repo or track, clean, self._licence)
            try:
                yield from _run_events(run, maker)
            except (RunError, UsageError, DataError) as error:
                yield maker.drop(escaped_path(path.name), "run_unreadable", error.message)


def _run_events(run: RunFolder, maker: EventMaker) -> Iterator[RepoEvent | Drop]:
    data = data_of(run)
    if not data.track.executes:
        message = f"answers to {data.track.name} are not executed"
        yield maker.drop(run.path.name, "not_executed", message)
        return
    tasks, data_name = data.tasks(), str(run.manifest.get("data", ""))
    calls = defaultdict(list)
    for execution in run.rounds().tool_executions():
        calls[execution.task_id, execution.sample, execution.round].extend(execution.calls)
    for (task_id, sample), answers in _sessions(run).items():
        session = f"{run.path.name}/{task_id}/{sample}"
        if (task := tasks.get(task_id)) is None:
            yield maker.drop(session, "no_task", data.absent or "the data set has no such task")
            continue
        steps = SessionSteps(maker, session, agent=answers[0][0].model, guard=guard_of(task, data_name))
        yield steps.opened(data.track.prompt(task))
        for answer, verdict in answers:
            entries = [
                *(
                    steps.ran(f"{each.name} {each.arguments}", each.result, None, tool=each.name)
                    for each in calls[task_id, sample, answer.round]
                ),
                *_answer_events(answer, verdict, steps),
            ]
            yield from checked(maker, iter(entries), session)
        if missing := next((answer.error for answer, _ in answers if answer.error), ""):
            yield maker.drop(session, "no_answer", escaped_name(missing, 200))


def _sessions(run: RunFolder) -> dict[tuple[TaskId, int], list[tuple[Answer, Verdict | None]]]:
    """The answers of each task and sample in the order of their rounds, each with its verdict."""
    rounds = run.rounds()
    view = rounds if rounds.answers_path.exists() else run
    verdicts = {(each.task_id, each.sample, each.round): each for each in view.verdicts()}
    found: dict[tuple[TaskId, int], list[tuple[Answer, Verdict | None]]] = {}
    for answer in view.answers():
        verdict = verdicts.get((answer.task_id, answer.sample, answer.round))
        found.setdefault((answer.task_id, answer.sample), []).append((answer, verdict))
    return {key: sorted(each, key=lambda pair: pair[0].round) for key, each in found.items()}


def _answer_events(answer: Answer, verdict: Verdict | None, steps: SessionSteps) -> Iterator[RepoEvent]:
    """The answer as written code, then its verdict; an answer that nobody could judge has no result."""
    if answer.text.strip():
        yield steps.edited([], answer.text)
    if verdict is None or not verdict.outcome.is_decided or verdict.outcome is Outcome.scored:
        return
    passed = verdict.outcome is Outcome.passed
    text = "" if passed else f"{verdict.outcome}: {verdict.detail}"
    yield steps.tested("passed" if passed else "failed", text, tool=verdict.profile)
    if verdict.traceback:
        yield steps.event(
            "error_report", text=excerpt(verdict.traceback), state=verdict.outcome.value, tool=""
        )


class _DraftedFunction(msgspec.Struct, frozen=True):
    """The part of a model's reply that is a program."""

    signature: str
    implementation: str
    imports: list[str] = []
    analysis: str = ""

    @property
    def program(self) -> str:
        head = "\n".join(self.imports) + "\n\n\n" if self.imports else ""
        return f"{head}{self.signature}\n{self.implementation.rstrip()}\n"


class OwnBuild:
    """A build with drafts by a model: one session for each draft, from the solution through its repairs."""

    def __init__(self, folder: Path, *, repo: str = "", licence: str = "") -> None:
        self._folder, self._licence = folder, licence
        self._repo = repo or "aicodereval"

    def events(self, folder: Path, clean: Cleaner, tell: Callable[[str], None]) -> Iterator[RepoEvent | Drop]:
        """Yield the drafts, the failed executions that led to repairs, and the repaired drafts."""
        maker = EventMaker(SOURCE, self._repo, clean, self._licence)
        replies = RunFolder.read(self._folder / REPLIES)
        drafts: dict[str, dict[str, Answer]] = {}
        for answer in replies.answers():
            unit, mark, step = str(answer.task_id).partition("#")
            if mark and not answer.error:
                drafts.setdefault(unit, {})[step] = answer
        guards = _guards(self._folder)
        for unit, steps in sorted(drafts.items()):
            session = f"{self._folder.name}/{unit}"
            entries = list(_draft_events(unit, session, steps, maker, guards.get(unit, "test_split")))
            yield from (each for each in entries if isinstance(each, Drop))
            yield from checked(maker, (each for each in entries if isinstance(each, RepoEvent)), session)


def _draft_events(
    unit: str, session: str, replies: Mapping[str, Answer], maker: EventMaker, guard: str
) -> Iterator[RepoEvent | Drop]:
    chain = [name for name in sorted(replies, key=_rank) if _rank(name) < _LAST]
    if not chain:
        return
    steps = SessionSteps(maker, session, agent=replies[chain[0]].model, guard=guard)
    yield steps.opened(f"Write the function {unit}.")
    for name in chain:
        try:
            reply = msgspec.json.decode(replies[name].text, type=_DraftedFunction)
        except (msgspec.MsgspecError, UnicodeEncodeError) as error:
            yield maker.drop(f"{session}/{name}", "reply_unreadable", str(error)[:200])
            continue
        if name.startswith("repair-"):  # it is asked only for a solution whose execution failed
            yield steps.tested("failed", reply.analysis)
        yield steps.edited([], reply.program)
    if _FINISHED in replies:
        yield steps.tested("passed", "")


_LAST = 1 << 20
_AGAIN = "-again"  # a step that was asked again, since its first reply could not be used


def _rank(step: str) -> int:
    """The place of a step in the chain of solutions; `_LAST` for steps that write no program."""
    name = step.removesuffix(_AGAIN)
    number = "0" if name == "solution" else name.removeprefix("repair-")
    if not number.isdecimal() or len(number) > 4:
        return _LAST
    return 2 * int(number) + step.endswith(_AGAIN)


def _guards(folder: Path) -> dict[str, str]:
    """The guard of each entry of the build. Drafts that became none are treated as a test split."""
    found: dict[str, str] = {}
    for name, guard in (("train", ""), ("unverified", ""), ("test", "canary")):
        path = folder / "data" / f"{name}.jsonl"
        lines = path.read_bytes().split(b"\n") if path.is_file() else []
        for line in lines:
            if line.strip():
                found[str(msgspec.json.decode(line, type=dict[str, Any]).get("task_id", ""))] = guard
    return found

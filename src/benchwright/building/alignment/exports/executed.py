"""Recipes on runs of our own: answers that were executed, passed against failed, and repaired ones.

Only verdicts that say something of the answer count: neither errors of the harness nor answers that tried to
cheat. A task of a test split, of a named benchmark or with a canary is refused: a model that trained on it
cannot be measured by it any more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright.contracts import Track
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError
from benchwright.interop.exports.finished_runs import FinishedRun
from benchwright.interop.training.row_types import TrainingRow, assistant, user
from benchwright.records import Answer, Drop, Outcome, Record, Task, TaskId, Verdict
from benchwright.running.run_data import data_of
from benchwright.store.named_data import is_name

MAX_PAIRS = 4  # of one task: more repeat the same answers
_CHEATS = (Outcome.tampered, Outcome.flaky)


class ExecutedAnswer(NamedTuple):
    """An answer with its verdict."""

    answer: Answer
    verdict: Verdict

    @property
    def passed(self) -> bool:
        """Whether it passed."""
        return self.verdict.outcome is Outcome.passed


class ExecutedTask(NamedTuple):
    """A task with the answers to it, each text once."""

    run: str
    track: Track
    task: Task
    answers: Sequence[ExecutedAnswer]
    earlier: Mapping[int, Sequence[ExecutedAnswer]] = {}  # failed rounds before the last answer, by sample

    @property
    def prompt(self) -> str:
        """The task as the model was asked."""
        return self.track.prompt(self.task)

    def row(self, name: str, answer: ExecutedAnswer, **parts: object) -> TrainingRow:
        """A row with the provenance of an answer."""
        meta = self.task.meta
        given: dict[str, object] = {
            "id": f"{self.run}:{self.task.task_id}:{name}",
            "repo": str(meta.get("repository") or meta.get("repo") or ""),
            "licence": str(meta.get("licence") or meta.get("license") or ""),
            "sha": str(meta.get("commit") or ""),
            "evidence": f"{self.run}:{answer.answer.key}",
            "prompt": [user(self.prompt)],
        }
        return TrainingRow(**{**given, **parts})  # type: ignore[arg-type]


def executed_tasks(run: FinishedRun, *, allow_test: bool) -> Iterator[ExecutedTask]:
    """The tasks of a finished run with its executed answers.

    Raises UsageError for tasks that may not be trained on, unless `allow_test`, and RunError for a run
    without its tasks.
    """
    data = data_of(run.folder)
    place = escaped_path(run.folder.path)
    if not data.track.executes:
        message = f"{place}: answers to {data.track.name} are not executed"
        raise UsageError(message, hint="name a run of a track whose answers are programs")
    if data.absent:
        raise RunError(f"{place}: {data.absent}", hint="run it again without --without-tasks")
    tasks = data.tasks()
    if not allow_test:
        _refuse_tests(run, tasks)
    judged = _executed_answers(run.folder.answers(), run.folder.verdicts())
    earlier = _rounds(run)
    for task_id, answers in judged.items():
        if task_id in tasks:
            yield ExecutedTask(run.name, data.track, tasks[task_id], answers, earlier.get(task_id, {}))


def _refuse_tests(run: FinishedRun, tasks: Mapping[TaskId, Task]) -> None:
    """Raise UsageError for a run on a benchmark."""
    place, data_name = escaped_path(run.folder.path), str(run.folder.manifest.get("data", ""))
    hint = "train on other tasks; --allow-test includes them, and scores on them mean nothing after that"
    if is_name(data_name):
        raise UsageError(f"{place}: {escaped_path(data_name)} is a published benchmark", hint=hint)
    if Path(data_name).name.partition(".")[0] == "test":
        raise UsageError(f"{place}: {escaped_path(data_name)} is a test split", hint=hint)
    for task in tasks.values():
        if reason := test_mark(task):
            raise UsageError(f"{place}: task {escaped_path(str(task.task_id))} {reason}", hint=hint)


def test_mark(task: Task) -> str:
    """Why a task may not be trained on, as a clause; empty if it may."""
    parts = [task.meta, task.inputs, task.meta.get("meta")]
    mappings = [each for each in parts if isinstance(each, dict)]
    if any(each.get("canary") for each in mappings):
        return "has a canary"
    marks = ("split", "subset", "status")
    return (
        "is of a test split" if any(each.get(mark) == "test" for each in mappings for mark in marks) else ""
    )


def _executed_answers(
    answers: Iterator[Answer], verdicts: Iterator[Verdict]
) -> dict[TaskId, list[ExecutedAnswer]]:
    """Answers with a verdict about them, by task; of equal texts the first."""
    by_row = {(each.task_id, each.sample, each.round): each for each in verdicts}
    found: dict[TaskId, list[ExecutedAnswer]] = defaultdict(list)
    seen: set[tuple[TaskId, str]] = set()
    for answer in answers:
        verdict = by_row.get((answer.task_id, answer.sample, answer.round))
        text = answer.task_id, answer.text.strip()
        if verdict is None or not _counts(answer, verdict) or text in seen:
            continue
        seen.add(text)
        found[answer.task_id].append(ExecutedAnswer(answer, verdict))
    return dict(found)


def _counts(answer: Answer, verdict: Verdict) -> bool:
    """Whether a verdict says something of the answer as a program."""
    outcome = verdict.outcome
    fair = outcome.is_decided and outcome not in _CHEATS and not verdict.suspicious
    return fair and answer.error is None and bool(answer.text.strip()) and outcome is not Outcome.scored


def _rounds(run: FinishedRun) -> dict[TaskId, dict[int, list[ExecutedAnswer]]]:
    """The failed answers of earlier rounds, by task and sample; empty for a run without an agent."""
    rounds = run.folder.rounds()
    if not rounds.answers_path.exists():
        return {}
    found: dict[TaskId, dict[int, list[ExecutedAnswer]]] = {}
    for task_id, answers in _executed_answers(rounds.answers(), rounds.verdicts()).items():
        for each in answers:
            if not each.passed:
                found.setdefault(task_id, {}).setdefault(each.answer.sample, []).append(each)
    return found


def executed_pairs(tasks: Iterator[ExecutedTask]) -> Iterator[TrainingRow | Drop]:
    """A passed answer as the chosen one, a failed answer to the same task as the rejected one."""
    for each in tasks:
        passed = [one for one in each.answers if one.passed]
        failed = [one for one in each.answers if not one.passed]
        if not passed or not failed:
            reason = "none_passed" if not passed else "none_failed"
            yield Drop(unit=f"{each.run}:{each.task.task_id}", reason=reason)
        for good, bad in list(zip(passed, failed, strict=False))[:MAX_PAIRS]:
            yield each.row(
                f"{good.answer.sample}>{bad.answer.sample}",
                good,
                completion=[assistant(good.answer.text)],
                rejected=[assistant(bad.answer.text)],
            )


def executed_labels(tasks: Iterator[ExecutedTask]) -> Iterator[TrainingRow | Drop]:
    """Each answer with a label: did it pass?"""
    for each in tasks:
        for one in each.answers:
            yield each.row(
                str(one.answer.sample), one, completion=[assistant(one.answer.text)], label=one.passed
            )


def repairs(tasks: Iterator[ExecutedTask]) -> Iterator[TrainingRow | Drop]:
    """A failed answer and its outcome as the prompt, the answer that passed after it as the completion.

    The failed answer is the rejected one.
    """
    for each in tasks:
        last = {one.answer.sample: one for one in each.answers}
        for sample, failed in each.earlier.items():
            good = last.get(sample)
            if good is None or not good.passed:
                yield Drop(unit=f"{each.run}:{each.task.task_id}:{sample}", reason="not_repaired")
                continue
            yield from (_repair(each, bad, good) for bad in failed)


def _repair(each: ExecutedTask, bad: ExecutedAnswer, good: ExecutedAnswer) -> TrainingRow:
    outcome = bad.verdict.outcome.value.replace("_", " ")
    fault = f"\n\n{bad.verdict.traceback.strip()}" if bad.verdict.traceback else ""
    request = f"Outcome of its execution: {outcome}.{fault}\n\nCorrect it, and give the whole program again."
    return each.row(
        f"{bad.answer.sample}:{bad.answer.round}",
        good,
        prompt=[user(each.prompt), assistant(bad.answer.text), user(request)],
        completion=[assistant(good.answer.text)],
        rejected=[assistant(bad.answer.text)],
    )


class RunSource(Record, frozen=True, kw_only=True):
    """A run as the manifest of an export names it."""

    run: str
    track: str
    model: str
    key: str


def run_source(run: FinishedRun) -> RunSource:
    """The published facts of a run."""
    return RunSource(run=run.name, track=run.track, model=run.model, key=run.key)

"""The stage that gets answers: each question once, each answer stored as it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchwright.contracts import Demanding, Observed, Prompt
from benchwright.errors import RunError
from benchwright.progress import Watcher, stage
from benchwright.records import Answer
from benchwright.running.foresee import foresee
from benchwright.running.plan import Plan
from benchwright.running.taking_up import note_address
from benchwright.running.tally import Tally
from benchwright.store.keys import compact, content_key
from benchwright.store.runfolder import RunFolder


def ask(plan: Plan, folder: RunFolder, watch: Watcher) -> None:
    """Fill answers.jsonl. A question whose key is there with an answer is not asked again.

    Answers come in the order in which the model gives them, and are put into the data set's at the end.
    """
    done = folder.done_keys()
    tally = Tally(plan.asking, folder, watch)
    if len(done) < plan.total:
        note_address(plan, folder)
    if plan.live:
        for line in foresee(plan, waiting(plan, done)):
            watch.note(line)
    with folder.answer_writer() as writer, stage(watch, "answers", total=plan.total, done=len(done)):
        _introduce(plan, folder, tally)
        with _closing(plan.model.answer(waiting(plan, done), plan.data)) as answers:
            for answer in answers:
                writer.append(answer)
                tally.count(answer)
    stored = folder.finalize(lambda head: plan.rank(head.task_id, head.sample), profiles=())
    _check(plan, tally, stored=stored.kept, known=len(done))


def check_ready(plan: Plan, folder: RunFolder) -> None:
    """Refuse to begin where answers are missing and the model cannot be asked for them.

    Raises PrerequisiteError. A run that has all its answers needs no key any more.
    """
    if isinstance(plan.model, Demanding) and len(folder.done_keys()) < plan.total:
        plan.model.check_ready()


def waiting(plan: Plan, done: set[bytes]) -> Iterator[Prompt]:
    """The questions that have no answer yet."""
    return (prompt for prompt in prompts(plan) if compact(prompt.key) not in done)


def prompts(plan: Plan) -> Iterator[Prompt]:
    """Every question of a run in canonical order, with its content key.

    The key names all that decides the answer: the task as it is, the prompt's text, the model with
    its parameters, and which repetition this is. A variant's name is not in it, since the text is.
    """
    identity = content_key(plan.identity["model"])
    for task in plan.tasks.values():
        for way, question in enumerate(plan.prompting.questions(plan.track, task)):
            asked = content_key(task.revision, question.text, identity)
            for sample in range(way * plan.n, (way + 1) * plan.n):
                yield Prompt(
                    key=content_key(asked, sample),
                    task_id=task.task_id,
                    sample=sample,
                    text=question.text,
                    variant=question.variant,
                )


def _introduce(plan: Plan, folder: RunFolder, tally: Tally) -> None:
    """Listen to a model that has more to tell than answers, and tell one with a budget what is spent."""
    if isinstance(plan.model, Observed):
        plan.model.observe(tally.hear)
    already: Any = getattr(plan.model, "already", None)
    if already is not None:
        used_in = used_out = 0
        for answer in folder.answers():
            used_in += answer.tokens_in or 0
            used_out += answer.tokens_out or 0
        tally.start_from(used_in, used_out)
        already(used_in, used_out)


@contextmanager
def _closing(answers: Iterator[Answer]) -> Iterator[Iterator[Answer]]:
    """End a model's generator when asking ends, however it ends.

    On Ctrl-C its requests in flight are given up at once, not when the garbage is collected.
    """
    try:
        yield answers
    finally:
        close: Any = getattr(answers, "close", None)
        if close is not None:
            close()


def _check(plan: Plan, tally: Tally, *, stored: int, known: int) -> None:
    """Refuse to go on with nothing, or with a part: a score of the tasks asked first would mislead."""
    if tally.failed and tally.failed == tally.asked and not known:
        raise RunError(
            f"{plan.model.spec} gave no answer to any of {tally.asked:,} questions: {tally.reasons[0]}",
            hint="repair what it names; the same command asks again",
        )
    if stored < plan.total:
        raise RunError(
            f"{plan.total - stored:,} of {plan.total:,} questions were not asked",
            hint="the same command goes on from here, with a higher --budget where that was the reason",
        )

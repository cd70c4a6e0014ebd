"""The self-check of a model judge: rank answers of known quality, ignore instructions in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice

from benchwright.contracts import Assessment
from benchwright.display.wording import counted
from benchwright.errors import RunError, SelfCheckError
from benchwright.judges.rubric.contrast import TOLERANCE, ContrastItem, Ordering, contrast_items
from benchwright.progress import Watcher
from benchwright.records import Task
from benchwright.running.judge_replies import JudgeQuestion, JudgeReplies, Questions
from benchwright.running.judge_votes import assessment
from benchwright.running.model_judges import ModelJudge
from benchwright.store.keys import content_key

SHOWN = 5
FIRST = 4  # items that show whether replies can be read at all
_KEPT = "what this one replied is kept in replies.*.jsonl of the run folder"

Said = Mapping[str, Assessment]  # by the name of what was asked


def items_of(rubrics: Sequence[str]) -> list[ContrastItem]:
    """Return the contrast sets of some rubrics."""
    return [each for name in rubrics for each in contrast_items(name)]


def stand_in(name: str) -> Task:
    """Return a task for a contrast set, so that models can identify it."""
    return Task(task_id=name, instruction="", inputs={}, outputs=None, meta={}, revision="")


def contrast_questions(items: Sequence[ContrastItem]) -> Iterator[JudgeQuestion]:
    """Yield a question for each answer in the sets, in the form of any other question."""
    for each in items:
        yield JudgeQuestion.of(each.exhibit, content_key(each.name), task_id=each.name)


def prove(
    replies: JudgeReplies, questions: Questions, order: Callable[[Said], Ordering], watch: Watcher
) -> Ordering:
    """Ask a judge about the contrast sets. Raises SelfCheckError for a wrong order.

    Raises RunError for a missing reply, and as `ask` does.
    """
    judge = replies.judge
    _check_readable(judge, _ask(replies, lambda: islice(questions(), FIRST), watch))
    said = _ask(replies, questions, watch)
    if absent := [each for each in said.values() if each.status == "missing"]:
        message = f"self-check of {judge.name}: no reply to {len(absent)} of {counted(len(said), 'item')}"
        raise RunError(f"{message}: {absent[0].detail}", hint="the same command asks for them again")
    found = order(said)
    if not found.holds:
        raise SelfCheckError(_complaint(judge, found), hint=f"judge with another model or setting: {_KEPT}")
    return found


def _ask(replies: JudgeReplies, questions: Questions, watch: Watcher) -> Said:
    judge, what = replies.judge, "answers whose order is known, to see whether it can judge"
    replies.ask(questions, watch, purpose=lambda: [what], stage=f"self-check of {judge.name}")
    return {str(each.task_id): assessment(judge, each, votes) for each, votes in replies.votes(questions)}


def _check_readable(judge: ModelJudge, said: Said) -> None:
    """Raise SelfCheckError early: none of the first replies can be read, even after a second request."""
    if said and all(each.status == "unparsable" for each in said.values()):
        why = next(iter(said.values())).detail
        raise SelfCheckError(
            f"self-check of {judge.name}: no reply could be read, of those to the first "
            f"{counted(len(said), 'item')}: {why}",
            hint=f"judge with a model that follows a JSON schema: {_KEPT}",
        )


def _complaint(judge: ModelJudge, found: Ordering) -> str:
    lines = [*found.obeyed, *found.wrong]
    shown = "".join(f"\n  {line}" for line in lines[:SHOWN])
    more = f"\n  and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return (
        f"{judge.name} does not prove itself on answers whose order is known, so no score is given: it "
        f"obeyed an instruction in an answer {len(found.obeyed)} of {found.injections} times (never allowed) "
        f"and ordered {len(found.wrong)} of {found.pairs} pairs wrongly (at most "
        f"{int(TOLERANCE * found.pairs)} are allowed){shown}{more}"
    )

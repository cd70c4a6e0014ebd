"""Model judges at work: their prompts and replies, the verdicts from their votes, and their self-check.

Replies are stored as answers are, one file for each judge, so a killed run continues. A judge must first tell
a good answer from a bad one on a contrast set, before it assesses any answer of the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from benchwright.asking.ask import AskOptions, ask, repetitions
from benchwright.contracts import Assessment, JudgeInput, Prompt
from benchwright.display.escape import escaped, escaped_start
from benchwright.display.wording import counted
from benchwright.errors import RunError, SelfCheckError
from benchwright.judges.rubric.contrast import TOLERANCE, ContrastItem, Ordering, contrast_items
from benchwright.judges.rubric.judge_replies import JudgeReply, one_family, read_reply
from benchwright.judges.rubric.rubrics import MAX_SHOWN, Rubric, find_rubric, reply_schema
from benchwright.progress import Watcher
from benchwright.records import Answer, Task, TaskId
from benchwright.running.model_judges import ModelJudge
from benchwright.store.keys import compact, content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Head


class JudgeQuestion(NamedTuple):
    """One answer or pair to judge. `key` is its content key."""

    task_id: TaskId
    sample: int
    key: str
    rubric: Rubric
    text: str  # of the prompt
    references: int = 0
    shown: tuple[str, ...] = ()  # all texts in the prompt, for what is quoted from them
    author: str = ""  # which model's answer it is
    refused: str = ""  # why no judge is asked
    part: int = 0  # of the answer, from 1; 0: the whole answer
    place: int = 0  # of the question among all samples and parts of the task

    @classmethod
    def of(
        cls,
        exhibit: JudgeInput,
        key: str,
        *,
        task_id: TaskId,
        sample: int = 0,
        author: str = "",
        part: int = 0,
        most_parts: int = 1,
    ) -> JudgeQuestion:
        """The question about one answer, or a part of it. One that is too long to be shown is refused."""
        rubric = find_rubric(exhibit.rubric, exhibit.language)
        texts = (*exhibit.sections.values(), exhibit.candidate)
        size = sum(map(len, texts))
        refused = f"{size:,} characters, more than the {MAX_SHOWN:,} that a judge is shown"
        too_long = size > MAX_SHOWN
        return cls(
            task_id=task_id,
            sample=sample,
            key=key,
            rubric=rubric,
            text="" if too_long else rubric.prompt(exhibit, key),
            references=exhibit.references,
            shown=() if too_long else texts,
            author=author,
            refused=refused if too_long else "",
            part=part,
            place=sample * most_parts + max(part - 1, 0),
        )


class JudgeVote(NamedTuple):
    """The result of one request to a judge. `missing` is the reason for a missing reply."""

    key: str  # of the prompt
    reply: JudgeReply = JudgeReply()
    missing: str = ""
    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def is_read(self) -> bool:
        """Whether the reply could be read."""
        return not (self.missing or self.reply.problem)


QuestionSource = Callable[[], Iterator[JudgeQuestion]]  # gone through again and again: there may be a million
Rank = Callable[[TaskId, int], int]


class JudgeReplies:
    """One judge with the file of its replies. `rank` is the position of a question among all questions."""

    def __init__(
        self, judge: ModelJudge, folder: RunFolder, *, rank: Rank, tasks: Mapping[TaskId, Task]
    ) -> None:
        self.judge, self._rank, self._tasks = judge, rank, tasks
        self._folder = folder.replies(judge.name)
        self._identity = content_key(judge.identity)

    def ask(
        self, questions: QuestionSource, watch: Watcher, *, purpose: Callable[[], Sequence[str]], stage: str
    ) -> None:
        """Ask what has no reply yet, and once more where a reply cannot be read. Raises as `ask` does."""
        options = AskOptions(self.judge.asking, self._tasks, purpose, self._place, stage)
        first = _Prompts(lambda: (each for question in questions() for each in self._prompts(question)))
        ask(first, self.judge.model, self._folder, watch, options)
        problems = self._problems()
        if problems:
            # Include the answered prompts: one failed repair must not count as a judge that never replies.
            all_prompts = _Prompts(lambda: chain(first, self._repairs(questions, problems)))
            ask(all_prompts, self.judge.model, self._folder, watch, options)

    def votes(self, questions: QuestionSource) -> Iterator[tuple[JudgeQuestion, list[JudgeVote]]]:
        """Yield each question in order with its result; refused ones are skipped."""
        rows = self._folder.answers()
        row = next(rows, None)
        for question in questions():
            votes = []
            for prompt in self._prompts(question):
                found = []
                place = self._place(Head(prompt.task_id, prompt.sample))
                while row is not None and (at := self._place_of(row)) <= place + 1:
                    if at >= place:
                        found.append(row)
                    row = next(rows, None)
                votes.append(_vote(prompt, found))
            yield question, votes

    def _prompts(self, question: JudgeQuestion) -> list[Prompt]:
        """A question as often as the judge votes; a prompt's sample counts all votes, samples and parts."""
        if question.refused:
            return []
        rubric = question.rubric
        schema = reply_schema(rubric.name, rubric.language, question.references)
        prompt = Prompt(
            key="",
            task_id=question.task_id,
            sample=0,
            text=question.text,
            variant=f"{rubric.name}.{rubric.language}.{question.references}",
            schema=schema if self.judge.by_schema and rubric.kind != "words" else None,
        )
        votes = self.judge.votes
        return [
            msgspec.structs.replace(each, sample=question.place * votes + each.sample)
            for each in repetitions(
                prompt, revision=question.key, identity=self._identity, samples=range(votes)
            )
        ]

    def _problems(self) -> dict[bytes, str]:
        """By the key of a prompt, why its reply could not be read. The prompt is stored with the reply."""
        return {
            compact(row.key): problem
            for row in self._folder.answers()
            if row.error is None and not row.round and (problem := _read(row, row.prompt).problem)
        }

    def _repairs(self, questions: QuestionSource, problems: Mapping[bytes, str]) -> Iterator[Prompt]:
        for question in questions():
            for prompt in self._prompts(question):
                if (problem := problems.get(compact(prompt.key))) is not None:
                    text = question.rubric.repair(prompt.text, problem)
                    key = content_key(prompt.key, "repair", text)
                    yield msgspec.structs.replace(prompt, key=key, text=text, round=1)

    def _place(self, head: Head) -> int:
        sample, vote = divmod(head.sample, self.judge.votes)
        return 2 * (self._rank(head.task_id, sample) * self.judge.votes + vote) + min(head.round, 1)

    def _place_of(self, row: Answer) -> int:
        return self._place(Head(row.task_id, row.sample, round=row.round))


class _Prompts:
    """A sequence of prompts that is generated on each iteration and counted once."""

    def __init__(self, make: Callable[[], Iterator[Prompt]]) -> None:
        self._make, self._count = make, -1

    def __len__(self) -> int:
        if self._count < 0:
            self._count = sum(1 for _ in self._make())
        return self._count

    def __iter__(self) -> Iterator[Prompt]:
        return self._make()


def _read(row: Answer, variant: str) -> JudgeReply:
    """Parse a reply by the rubric that the prompt's variant names."""
    parts = variant.split(".")
    if len(parts) != 3 or not parts[2].isdecimal():
        return JudgeReply()  # to nothing that is asked here
    name, language, references = parts
    return read_reply(row.text, find_rubric(name, language), references=int(references))


def _vote(prompt: Prompt, rows: Sequence[Answer]) -> JudgeVote:
    """Make a vote of the first reply, or of the second where the first cannot be read."""
    tokens = sum(row.tokens_in or 0 for row in rows), sum(row.tokens_out or 0 for row in rows)
    vote = JudgeVote(prompt.key, missing="it was not asked", tokens_in=tokens[0], tokens_out=tokens[1])
    for row in rows:
        if row.round == 0 and row.key != prompt.key:
            continue  # a reply to what is asked no longer
        if row.error is not None:
            return vote._replace(reply=JudgeReply(), missing=row.error)
        reply = _read(row, prompt.variant)
        vote = vote._replace(reply=reply, missing="")
        if not reply.problem:
            return vote
    return vote


MAX_REASON, MAX_QUOTES, MAX_QUOTE = 800, 8, 400  # of what is kept of a reply; the replies have all
GRADES = {"correct": 1.0, "partly": 0.5, "wrong": 0.0}
_QUOTES = "\"'`“”„«»‘’ "


def grade(said: Assessment) -> float | None:
    """Return the grade of an answer, from 0 to 1; None without a grade."""
    return fmean(said.scores.values()) if said.scores else GRADES.get(said.label)


def assessment(judge: ModelJudge, question: JudgeQuestion, votes: Sequence[JudgeVote]) -> Assessment:
    """Return the assessment of one answer by all votes of one judge."""
    read = [vote.reply for vote in votes if vote.is_read]
    base = Assessment(
        key=content_key(question.key, [vote.key for vote in votes]),
        answer=question.key,
        task_id=question.task_id,
        sample=question.sample,
        part=question.part,
        judge=judge.name,
        status="undecided",
        prompt=content_key(judge.identity, question.rubric.key),
        votes=_counts(votes, question.rubric),
        flags=_flags(judge, question, read),
        tokens_in=sum(vote.tokens_in for vote in votes),
        tokens_out=sum(vote.tokens_out for vote in votes),
    )
    if question.refused:
        return _with(base, detail=question.refused)
    if not read:
        problem = next((vote.reply.problem for vote in votes if vote.reply.problem), "")
        reason = escaped_start(problem or votes[0].missing, MAX_REASON)
        return _with(base, status="unparsable" if problem else "missing", detail=reason)
    return (
        _assess_by_mean(base, read)
        if question.rubric.kind == "rates"
        else _assess_by_majority(base, read, question.rubric)
    )


def _with(base: Assessment, **fields: Any) -> Assessment:
    return msgspec.structs.replace(base, **fields)


def _assess_by_mean(base: Assessment, read: Sequence[JudgeReply]) -> Assessment:
    """Assess by the mean over votes."""
    scores = {name: fmean(reply.scores[name] for reply in read) for name in read[0].scores}
    return _with(base, status="judged", scores=scores, **_reply_details(read[0]))


def _assess_by_majority(base: Assessment, read: Sequence[JudgeReply], rubric: Rubric) -> Assessment:
    """Assess by the majority of votes. A tie and the neutral label leave the answer undecided."""
    (first, most), *others = Counter(reply.label for reply in read).most_common()
    reply = next(each for each in read if each.label == first)
    if others and others[0][1] == most:
        return _with(base, detail="its votes are tied", **_reply_details(reply))
    if first == rubric.unsure:
        return _with(base, label=first, detail="it says that it cannot tell", **_reply_details(reply))
    return _with(
        base, status="judged", label=first, reference_number=reply.reference, **_reply_details(reply)
    )


def _reply_details(reply: JudgeReply) -> dict[str, Any]:
    return {
        "reasons": {name: escaped(text[:MAX_REASON]) for name, text in reply.reasons.items() if text},
        "evidence": [escaped(text[:MAX_QUOTE]) for text in reply.evidence[:MAX_QUOTES]],
    }


def _counts(votes: Iterable[JudgeVote], rubric: Rubric) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for vote in votes:
        if vote.is_read:
            given = [f"{name} {rating}" for name, rating in vote.reply.ratings.items()]
            counts.update(given if rubric.kind == "rates" else [vote.reply.label])
        else:
            counts["missing" if vote.missing else "unparsable"] += 1
    return dict(sorted(counts.items()))


def _flags(judge: ModelJudge, question: JudgeQuestion, read: Sequence[JudgeReply]) -> list[str]:
    labels = {reply.label for reply in read}
    found = {
        "own_family": bool(question.author) and one_family(judge.called, question.author),
        "quote_not_found": any(_misquotes(reply, question.shown) for reply in read),
        "contradicts_itself": {"correct", "wrong"} <= labels or any(r.contradicts_itself for r in read),
    }
    return [name for name, is_flagged in found.items() if is_flagged]


def _misquotes(reply: JudgeReply, prompt_texts: Iterable[str]) -> bool:
    """Whether a quotation appears in no text. Line breaks do not count."""
    quotes = [text for each in reply.evidence if (text := " ".join(each.strip(_QUOTES).split()))]
    texts = [" ".join(text.split()) for text in prompt_texts] if quotes else []
    return any(all(quote not in text for text in texts) for quote in quotes)


SHOWN = 5
FIRST = 4  # items that show whether replies can be read at all
_KEPT = "the replies of this judge are in replies.*.jsonl of the run folder"

AssessmentsByKey = Mapping[str, Assessment]  # by the name of what was asked


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
    replies: JudgeReplies,
    questions: QuestionSource,
    order: Callable[[AssessmentsByKey], Ordering],
    watch: Watcher,
) -> Ordering:
    """Ask a judge about the contrast sets. Raises SelfCheckError for a wrong order.

    Raises RunError for a missing reply, and as `ask` does.
    """
    judge = replies.judge
    _check_readable(judge, _ask(replies, lambda: islice(questions(), FIRST), watch))
    assessments = _ask(replies, questions, watch)
    if absent := [each for each in assessments.values() if each.status == "missing"]:
        message = (
            f"self-check of {judge.name}: no reply to {len(absent)} of {counted(len(assessments), 'item')}"
        )
        raise RunError(f"{message}: {absent[0].detail}", hint="run the same command again to ask for them")
    found = order(assessments)
    if not found.holds:
        raise SelfCheckError(_complaint(judge, found), hint=f"judge with another model or setting: {_KEPT}")
    return found


def _ask(replies: JudgeReplies, questions: QuestionSource, watch: Watcher) -> AssessmentsByKey:
    judge, purpose = replies.judge, "answers whose order is known, to see whether it can judge"
    replies.ask(questions, watch, purpose=lambda: [purpose], stage=f"self-check of {judge.name}")
    return {str(each.task_id): assessment(judge, each, votes) for each, votes in replies.votes(questions)}


def _check_readable(judge: ModelJudge, assessments: AssessmentsByKey) -> None:
    """Raise SelfCheckError early: none of the first replies can be read, even after a second request."""
    if assessments and all(each.status == "unparsable" for each in assessments.values()):
        reason = next(iter(assessments.values())).detail
        raise SelfCheckError(
            f"self-check of {judge.name}: no reply could be read, of those to the first "
            f"{counted(len(assessments), 'item')}: {reason}",
            hint=f"judge with a model that follows a JSON schema: {_KEPT}",
        )


def _complaint(judge: ModelJudge, found: Ordering) -> str:
    lines = [*found.obeyed, *found.wrong]
    first_lines = "".join(f"\n  {line}" for line in lines[:SHOWN])
    more = f"\n  and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return (
        f"{judge.name} does not prove itself on answers whose order is known, so no score is given: it "
        f"obeyed an instruction in an answer {len(found.obeyed)} of {found.injections} times (never allowed) "
        f"and ordered {len(found.wrong)} of {found.pairs} pairs wrongly (at most "
        f"{int(TOLERANCE * found.pairs)} are allowed){first_lines}{more}"
    )

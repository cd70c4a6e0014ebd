"""What model judges are asked, and what their replies come to: questions out, votes back, each kept.

    JudgeQuestion ──Prompt──▶ ask ──Answer──▶ read ──JudgeReply──▶ JudgeVote     again where it is unreadable

All replies of a judge are in one file, asked for by the loop that asks models (`asking.ask`), so pacing,
retries, budget and resuming are those of every other question. Whoever has something judged, answers of a run
or pairs of two runs, says which questions there are and their order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import msgspec

from benchwright.asking.ask import AskOptions, ask, repetitions
from benchwright.contracts import Exhibit, Prompt
from benchwright.judges.rubric.replies import JudgeReply, read_reply
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

    @classmethod
    def of(
        cls, exhibit: Exhibit, key: str, *, task_id: TaskId, sample: int = 0, author: str = ""
    ) -> JudgeQuestion:
        """The question about one answer. One that is too long to be shown is refused."""
        rubric = find_rubric(exhibit.rubric, exhibit.language)
        shown = (*exhibit.sections.values(), exhibit.candidate)
        size = sum(map(len, shown))
        refused = f"{size:,} characters, more than the {MAX_SHOWN:,} that a judge is shown"
        too_long = size > MAX_SHOWN
        return cls(
            task_id=task_id,
            sample=sample,
            key=key,
            rubric=rubric,
            text="" if too_long else rubric.prompt(exhibit, key),
            references=exhibit.references,
            shown=() if too_long else shown,
            author=author,
            refused=refused if too_long else "",
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


Questions = Callable[[], Iterator[JudgeQuestion]]  # gone through again and again: there may be a million
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
        self, questions: Questions, watch: Watcher, *, purpose: Callable[[], Sequence[str]], stage: str
    ) -> None:
        """Ask what has no reply yet, and once more where a reply cannot be read. Raises as `ask` does."""
        options = AskOptions(self.judge.asking, self._tasks, purpose, self._place, stage)
        first = _Prompts(lambda: (each for question in questions() for each in self._prompts(question)))
        ask(first, self.judge.model, self._folder, watch, options)
        problems = self._problems()
        if problems:
            # With those that are answered: one repair that fails is no judge that never replies.
            both = _Prompts(lambda: chain(first, self._repairs(questions, problems)))
            ask(both, self.judge.model, self._folder, watch, options)

    def votes(self, questions: Questions) -> Iterator[tuple[JudgeQuestion, list[JudgeVote]]]:
        """Each question, in order, with what came of it; for one that is refused, nothing."""
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
        """A question as often as the judge votes; the sample of a prompt counts votes of all samples."""
        if question.refused:
            return []
        rubric = question.rubric
        schema = reply_schema(rubric.name, rubric.language, question.references)
        asked = Prompt(
            key="",
            task_id=question.task_id,
            sample=0,
            text=question.text,
            variant=f"{rubric.name}.{rubric.language}.{question.references}",
            schema=schema if self.judge.by_schema else None,
        )
        votes = self.judge.votes
        return [
            msgspec.structs.replace(each, sample=question.sample * votes + each.sample)
            for each in repetitions(
                asked, revision=question.key, identity=self._identity, samples=range(votes)
            )
        ]

    def _problems(self) -> dict[bytes, str]:
        """By the key of a prompt, why the reply to it could not be read. What each is to stands beside it."""
        return {
            compact(row.key): problem
            for row in self._folder.answers()
            if row.error is None and not row.round and (problem := _read(row, row.prompt).problem)
        }

    def _repairs(self, questions: Questions, problems: Mapping[bytes, str]) -> Iterator[Prompt]:
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

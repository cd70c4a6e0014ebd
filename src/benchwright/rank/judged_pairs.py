"""Compare two runs with model judges, answer by answer, each pair in both orders.

If a judge prefers one answer when it is first and the other when it is second, the pair is a tie, and the
number of such contradictions is reported. Answers decided by rules are compared without a judge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.contracts import AssessableTrack, Assessment, JudgeInput, Track
from benchwright.display.escape import escaped_path
from benchwright.errors import RunError, UsageError, command_name
from benchwright.judges.rubric.contrast import BETTER, OBEYED, WORSE, ContrastItem, Ordering
from benchwright.judges.rubric.judge_replies import one_family
from benchwright.judges.rubric.rubrics import find_rubric
from benchwright.progress import Watcher
from benchwright.records import Answer, Metric, Record, TaskId
from benchwright.running.judged_items import shown_answers
from benchwright.running.model_judges import ModelJudge
from benchwright.running.model_judging import (
    AssessmentsByKey,
    JudgeQuestion,
    JudgeReplies,
    assessment,
    items_of,
    prove,
    stand_in,
)
from benchwright.running.run_data import DataByHash, data_of, identity_field
from benchwright.stats.bradley_terry import at_equal_length, relative_difference
from benchwright.stats.intervals import wilson
from benchwright.stats.metrics import as_metric, graded_metric
from benchwright.store.keys import JUDGES, content_key
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import write_records
from benchwright.version import VERSION

RUBRIC = "pairs"
FILE = "pairs.jsonl"
_VALUE = {"a": 1.0, "tie": 0.5, "b": 0.0}
_SIDES = ("A", "B")


class JudgedPair(Record, frozen=True, kw_only=True):
    """The result of a pair. `said` has the judge's preference with a first, then with b first."""

    task_id: TaskId
    sample: int
    judge: str
    result: str  # "a", "b" or "tie"; "unparsable", "missing" or "refused" without a decision
    by: str = "judge"  # or "rules"
    said: list[str] = []  # each "a", "b", "tie" or "both_bad"
    contradiction: bool = False
    flags: list[str] = []
    detail: str = ""
    lengths: list[int] = []  # characters of a and b


class LengthEffect(Record, frozen=True, kw_only=True):
    """The effect of length on a judge's preferences. `weight`: log odds per relative difference."""

    pairs: int  # of unequal lengths, with a preference that both orders share
    longer_preferred: Metric
    at_equal_length: float  # the share of preferences for a that length leaves, by logistic regression
    weight: float


class PairResult(Record, frozen=True, kw_only=True):
    """The result of one judge on two runs. `preference`: wins of a plus half of the ties, by tasks."""

    judge: str
    model: str
    pairs: int
    win: int
    tie: int
    loss: int
    by_rules: int
    unparsable: int
    missing: int
    refused: int
    contradictions: int  # of the pairs that the judge has seen twice
    judged_twice: int
    first_preferred: Metric | None  # of all replies that prefer one side, how many the one shown first
    preference: Metric | None
    own_family: dict[str, int]  # by run, how many of its answers are of the judge's family
    self_check: dict[str, int]
    length: LengthEffect | None = None
    calibrated: bool = False


class PairSide(NamedTuple):
    """One answer of a pair; `exhibit` is None if rules decided it."""

    answer: Answer
    exhibit: JudgeInput | None
    is_missing: bool


class AnswerPair(NamedTuple):
    """Two answers to one task."""

    task_id: TaskId
    sample: int
    a: PairSide
    b: PairSide


class PairedRuns:
    """Two runs of one track on one data set, as pairs of answers in canonical order."""

    def __init__(self, a: RunFolder, b: RunFolder, given: DataByHash | None = None) -> None:
        for field in ("track", "data", "profile"):
            if identity_field(a, field) != identity_field(b, field):
                runs = f"{escaped_path(a.path)} and {escaped_path(b.path)}"
                raise RunError(f"{runs} differ in their {field}", hint="compare runs of one data set")
        data = data_of(a, given)
        if data.absent:
            raise RunError(data.absent, hint="give the data set of the run: --data PATH")
        if not isinstance(data.track, AssessableTrack):
            message = f"answers of {data.track.name} are judged without models"
            raise UsageError(message, hint=f"{command_name()} compare RUN_A RUN_B")
        self.a, self.b = a, b
        self.track: Track = data.track
        self.rubrics: tuple[str, ...] = data.track.rubrics
        self.tasks = data.tasks()
        self._profile = identity_field(a, "profile")
        self._places = {task_id: place for place, task_id in enumerate(self.tasks)}
        self.width = max(_read_complete(each) for each in (a, b))

    def place(self, task_id: TaskId, sample: int) -> int:
        """The position of a sample among all answers."""
        return self._places[task_id] * self.width + sample

    def pairs(self) -> Iterator[AnswerPair]:
        """The pairs with an answer and a verdict in both runs."""
        ours, theirs = self._sides(self.a), self._sides(self.b)
        one, other = next(ours, None), next(theirs, None)
        while one is not None and other is not None:
            at, beside = self.place(*_answer_key(one)), self.place(*_answer_key(other))
            if at == beside:
                yield AnswerPair(*_answer_key(one), one, other)
            if at <= beside:
                one = next(ours, None)
            if beside <= at:
                other = next(theirs, None)

    def _sides(self, folder: RunFolder) -> Iterator[PairSide]:
        for each in shown_answers(folder, self.track, self.tasks, profile=self._profile):
            is_missing = each.by_rules.outcome.is_missing
            yield PairSide(each.answer, each.exhibit, is_missing)


def judge_pairs(
    runs: PairedRuns, judges: Sequence[ModelJudge], out: Path, watch: Watcher
) -> list[PairResult]:
    """Compare the runs with each judge; replies and results are stored in the folder `out`.

    Raises SelfCheckError for a judge that fails its self-check, and RunError as `ask` does.
    """
    identity = {
        "track": runs.track.name,
        "data": identity_field(runs.a, "data"),
        "runs": [content_key(each.manifest["identity"]) for each in (runs.a, runs.b)],
    }
    identities = {judge.name: judge.identity for judge in judges}
    manifest = {"identity": identity, "runs": [str(runs.a.path), str(runs.b.path)], "version": VERSION}
    with RunFolder.open(out, manifest, mode="either") as folder:
        folder.note(**{JUDGES: identities})
        found = [_judge_all(runs, judge, folder, watch) for judge in judges]
        write_records(out / FILE, (row for _, rows in found for row in rows))
        results = [_result(runs, judge, *each) for judge, each in zip(judges, found, strict=True)]
        folder.write_json("result.json", results)
    return results


def _judge_all(
    runs: PairedRuns, judge: ModelJudge, folder: RunFolder, watch: Watcher
) -> tuple[Ordering, list[JudgedPair]]:
    items = items_of(runs.rubrics)
    checks = list(_checks(items))
    places: dict[TaskId, int] = {each.task_id: place for place, each in enumerate(checks)}
    known = len(places)

    def rank(task_id: TaskId, sample: int) -> int:
        if task_id in runs.tasks:
            return known + 2 * runs.place(task_id, 0) + sample
        return places.setdefault(task_id, known + 2 * len(runs.tasks) * runs.width + len(places))

    names = {each.task_id: stand_in(str(each.task_id)) for each in checks}
    replies = JudgeReplies(judge, folder, rank=rank, tasks={**runs.tasks, **names})
    ordering = prove(replies, lambda: iter(checks), lambda assessments: _ordering(items, assessments), watch)

    def asked() -> Iterator[JudgeQuestion]:
        for pair in runs.pairs():
            if pair.a.exhibit is not None and pair.b.exhibit is not None:
                yield from _both(pair, pair.a.exhibit, pair.b.exhibit)

    what = f"pairs of answers of {escaped_path(runs.a.path)} and {escaped_path(runs.b.path)}, in both orders"
    replies.ask(asked, watch, purpose=lambda: [what], stage=f"judge {judge.name}")
    assessments = (assessment(judge, question, votes) for question, votes in replies.votes(asked))
    return ordering, [_pair(judge, pair, assessments) for pair in runs.pairs()]


# Questions: both orders of each pair.


def _both(pair: AnswerPair, a: JudgeInput, b: JudgeInput) -> Iterator[JudgeQuestion]:
    keys = pair.a.answer.key, pair.b.answer.key
    for turn, (first, second) in enumerate([(a, b), (b, a)]):
        key = content_key("pair", *(keys if not turn else keys[::-1]))
        yield _question(first, second, key, task_id=pair.task_id, sample=2 * pair.sample + turn)


def _question(
    first: JudgeInput, second: JudgeInput, key: str, *, task_id: TaskId, sample: int = 0
) -> JudgeQuestion:
    """The question about two candidates: the trusted texts are the same for both."""
    rubric = find_rubric(RUBRIC, first.language)
    title = rubric.frame["candidate"]
    texts = {f"{title} {side}": each.candidate for side, each in zip(_SIDES, (first, second), strict=True)}
    question = JudgeQuestion.of(
        first._replace(rubric=RUBRIC, candidate=first.candidate + second.candidate),
        key,
        task_id=task_id,
        sample=sample,
    )
    if question.refused:
        return question
    parts = (*first.sections.values(), *texts.values())
    return question._replace(text=rubric.compose(first.sections, texts, key), references=0, shown=parts)


def _checks(items: Sequence[ContrastItem]) -> Iterator[JudgeQuestion]:
    """Self-check items: a right and a wrong answer, without and with an injected instruction."""
    for one, other in combinations(items, 2):
        if one.item == other.item and one.answer == BETTER and other.answer in (WORSE[0], OBEYED):
            for turn, (first, second) in enumerate([(one, other), (other, one)]):
                name = f"{other.name}:{turn}"
                yield _question(first.exhibit, second.exhibit, content_key("pair", name), task_id=name)


def _ordering(items: Sequence[ContrastItem], assessments: AssessmentsByKey) -> Ordering:
    """Pairs in which the wrong answer was preferred, or the right one was not."""
    wrong: list[str] = []
    obeyed: list[str] = []
    for each in items:
        if each.answer in (WORSE[0], OBEYED):
            preferred = [_preferred(assessments[f"{each.name}:{turn}"], turn) for turn in range(2)]
            line = f"{each.item}: {BETTER} and {each.answer}: {' and '.join(preferred)} is preferred"
            if each.answer == OBEYED:
                obeyed += [line] if preferred == ["b", "b"] else []
            elif preferred != ["a", "a"]:
                wrong.append(line)
    number = sum(each.answer == OBEYED for each in items)
    return Ordering(number, tuple(wrong), number, tuple(obeyed))


# Results.


def _preferred(verdict: Assessment, turn: int) -> str:
    """The preferred side, a or b, whatever the order."""
    if verdict.status in ("missing", "unparsable"):
        return verdict.status
    if verdict.label in _SIDES:
        return "ab"[_SIDES.index(verdict.label) ^ turn]
    return verdict.label or "tie"


def _pair(judge: ModelJudge, pair: AnswerPair, assessments: Iterator[Assessment]) -> JudgedPair:
    row = JudgedPair(task_id=pair.task_id, sample=pair.sample, judge=judge.name, result="missing")
    if pair.a.is_missing or pair.b.is_missing:
        return _with(row, detail="missing answer because of an infrastructure error")
    if pair.a.exhibit is None or pair.b.exhibit is None:
        better = "tie" if pair.a.exhibit is pair.b.exhibit else "b" if pair.a.exhibit is None else "a"
        return _with(row, result=better, by="rules")
    both = [next(assessments), next(assessments)]
    preferred = [_preferred(each, turn) for turn, each in enumerate(both)]
    lengths = [len(side.exhibit.candidate) for side in (pair.a, pair.b) if side.exhibit is not None]
    row = _with(
        row, lengths=lengths, said=preferred, detail=next((each.detail for each in both if each.detail), "")
    )
    for status in ("missing", "unparsable"):
        if status in preferred:
            return _with(row, result=status)
    if not both[0].votes:
        return _with(row, result="refused")
    same = preferred[0] == preferred[1] and preferred[0] in _VALUE
    return _with(
        row, result=preferred[0] if same else "tie", contradiction={"a", "b"} == set(preferred), detail=""
    )


def _with(row: JudgedPair, **fields: Any) -> JudgedPair:
    return msgspec.structs.replace(row, **fields)


def _result(runs: PairedRuns, judge: ModelJudge, found: Ordering, rows: Sequence[JudgedPair]) -> PairResult:
    ends = [row.result for row in rows]
    by_task: dict[TaskId, list[float]] = {}
    for row in rows:
        if row.result in _VALUE:
            by_task.setdefault(row.task_id, []).append(_VALUE[row.result])
    seen = [row for row in rows if row.by == "judge" and row.result in _VALUE]
    first = [side == "ab"[turn] for row in seen for turn, side in enumerate(row.said) if side in ("a", "b")]
    means = [sum(values) / len(values) for values in by_task.values()]
    samples = min((len(values) for values in by_task.values()), default=1)
    return PairResult(
        judge=judge.name,
        model=judge.called,
        pairs=len(rows),
        win=ends.count("a"),
        tie=ends.count("tie"),
        loss=ends.count("b"),
        by_rules=sum(row.by == "rules" for row in rows),
        unparsable=ends.count("unparsable"),
        missing=ends.count("missing"),
        refused=ends.count("refused"),
        contradictions=sum(row.contradiction for row in rows),
        judged_twice=len(seen),
        first_preferred=as_metric(wilson(sum(first), len(first)), 1) if first else None,
        preference=graded_metric(means, samples=samples) if means else None,
        own_family=_own_family(runs, judge),
        self_check=found.counts(),
        length=_length_effect(seen),
    )


def _length_effect(seen: Sequence[JudgedPair]) -> LengthEffect | None:
    """The effect of length in compared pairs; None without a preference between unequal lengths."""
    longer = [
        (row.result == "a") == (row.lengths[0] > row.lengths[1])
        for row in seen
        if row.result != "tie" and row.lengths and row.lengths[0] != row.lengths[1]
    ]
    if not longer:
        return None
    measured = [row for row in seen if row.lengths]
    share, weight = at_equal_length(
        [_VALUE[row.result] for row in measured], [relative_difference(*row.lengths) for row in measured]
    )
    return LengthEffect(
        pairs=len(longer),
        longer_preferred=as_metric(wilson(sum(longer), len(longer)), 1),
        at_equal_length=round(share, 6),
        weight=round(weight, 6),
    )


def _own_family(runs: PairedRuns, judge: ModelJudge) -> dict[str, int]:
    return {
        name: sum(one_family(judge.called, answer.model) for answer in folder.answers())
        for name, folder in (("a", runs.a), ("b", runs.b))
    }


def _answer_key(side: PairSide) -> tuple[TaskId, int]:
    return side.answer.task_id, side.answer.sample


def _read_complete(folder: RunFolder) -> int:
    """The number of answers per task of a complete run."""
    return 1 + max((answer.sample for answer in folder.answers()), default=0)

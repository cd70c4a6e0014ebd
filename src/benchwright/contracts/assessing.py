"""Assessments by model judges and people, and the contract of a track whose answers they can assess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from benchwright.contracts.tracks import Extraction, Track
from benchwright.records import Answer, Record, Task, TaskId, Verdict

AssessmentStatus = Literal["judged", "undecided", "unparsable", "missing"]


class Assessment(Record, frozen=True, kw_only=True):
    """Assessment of one answer by one judge. The judge's replies are stored in a separate file.

    judged: the judge gave what its rubric asks for. undecided: it answered that it cannot tell, or its
    votes are tied. unparsable: no reply contained what the rubric asks for, after one repair. missing: it
    gave no reply.
    """

    key: str  # content key of the answer, the rubric, the prompt, the judge and its votes
    answer: str  # the answer's key
    task_id: TaskId
    sample: int
    part: int = 0  # number of the judged part of the answer, from 1; 0: the whole answer
    judge: str  # name of the judge in file names
    status: AssessmentStatus
    prompt: str = ""  # content key of rubric, prompt, model and parameters
    scores: dict[str, float] = {}  # of a rating rubric: each criterion from 0 to 1
    label: str = ""  # of a deciding rubric: "correct", "partly", "wrong" or "cannot_tell"
    reference_number: int | None = None  # number of the reference compared with, from 1
    reasons: dict[str, str] = {}  # by criterion, escaped
    evidence: list[str] = []  # quotations, escaped
    votes: dict[str, int] = {}  # number of replies by vote
    flags: list[str] = []  # "own_family", "quote_not_found", "later_facts", "contradicts_itself"
    detail: str = ""  # reason for a missing judgement
    tokens_in: int = 0
    tokens_out: int = 0


JUDGE_LANGUAGES = ("en", "ru", "zh")  # languages of prompts to model judges and people


def judge_language(language: object) -> str:
    """Language of the judge's prompt for a row in `language`; English by default."""
    return language if isinstance(language, str) and language in JUDGE_LANGUAGES else JUDGE_LANGUAGES[0]


class JudgeInput(NamedTuple):
    """Input of a judge for one answer: trusted sections by title, and the text to judge."""

    rubric: str  # name of a rubric in `judges.rubric`
    language: str  # of the judge's prompt, one of JUDGE_LANGUAGES
    sections: Mapping[str, str]  # text by title, such as "Question", "Reference answer 1 (linked fix)"
    candidate: str
    references: int = 0  # number of reference answers among the sections
    known: tuple[str, ...] = ()  # titles of sections that describe a right answer
    code: str = ""  # title of the section with the code that the answer is about
    lang: str = ""  # language of that code
    template: str = ""  # a prompt that replaces the rubric's own, for a rubric whose reply is words


@runtime_checkable
class WeightedTrack(Protocol):
    """A track with a total score: the weighted mean of the parts of an answer."""

    weights: Mapping[str, float]  # by part; the sum is 1

    def weighing(self, weights: Mapping[str, float]) -> Track:
        """The track with different weights."""
        ...


@runtime_checkable
class CalibratableTrack(Protocol):
    """A track that can express labels of people in its own figures, so that judges can be calibrated."""

    def by_people(self, results: Mapping[str, float | str]) -> Mapping[str, float]:
        """Values from 0 to 1 by figure, from people's results for the fields of one answer."""
        ...

    def by_verdict(self, verdict: Verdict) -> Mapping[str, float]:
        """Values of the same figures from a verdict; empty for an undecided one."""
        ...

    def stratum(self, task: Task) -> str:
        """The group of a task for stratified estimates, such as its language; empty if unknown."""
        ...


@runtime_checkable
class AssessableTrack(Protocol):
    """A track whose answers can be assessed by model judges in addition to its rules."""

    rubrics: tuple[str, ...]  # names of the rubrics in `judges.rubric` that its exhibits use

    def exhibit(self, task: Task, answer: Answer, taken: Extraction, verdict: Verdict) -> JudgeInput | None:
        """The input of a judge; None if the verdict has already settled the answer.

        Called only for answers whose verdict by rules is `scored` or `undecided`.
        """
        ...

    def assessed(self, task: Task, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
        """The verdict with the judges' assessments included; idempotent.

        Without assessments it returns the verdict by rules, even if `verdict` contains assessments, so that
        judges can be added to a run that others have assessed.
        """
        ...


@runtime_checkable
class PartwiseTrack(Protocol):
    """An assessable track whose answers have several parts, each judged for itself by the profile's rubrics.

    Assessments of a part have its number, from 1.
    """

    most_parts: int  # of one answer

    def rubrics_of(self, profile: str) -> tuple[str, ...]:
        """Names of the rubrics that the exhibits of a profile use."""
        ...

    def exhibits(self, task: Task, taken: Extraction, *, profile: str) -> Sequence[JudgeInput]:
        """The inputs of a judge for each part of an answer, at most `most_parts`."""
        ...


def rubrics_of(track: AssessableTrack, profile: str) -> tuple[str, ...]:
    """Names of the rubrics by which answers are judged in a profile."""
    return track.rubrics_of(profile) if isinstance(track, PartwiseTrack) else track.rubrics


def most_parts(track: AssessableTrack) -> int:
    """Largest number of parts of one answer that are judged for themselves."""
    return track.most_parts if isinstance(track, PartwiseTrack) else 1

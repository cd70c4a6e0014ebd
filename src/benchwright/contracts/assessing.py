"""What a model judge says of an answer, and what a track must offer so that one can be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from benchwright.contracts.tracks import Extraction, Track
from benchwright.records import Answer, Record, Task, TaskId, Verdict

AssessmentStatus = Literal["judged", "undecided", "unparsable", "missing"]


class Assessment(Record, frozen=True, kw_only=True):
    """What one judge says of one answer. Every reply of it is kept beside this.

    judged: it gave what its rubric asks for. undecided: it said that it cannot tell, or its votes are tied.
    unparsable: no reply held what the rubric asks for, after one repair. missing: it gave no reply.
    """

    key: str  # content key of the answer, the rubric, the prompt, the judge and its votes
    answer: str  # the answer's key
    task_id: TaskId
    sample: int
    judge: str  # its name in file names
    status: AssessmentStatus
    prompt: str = ""  # content key of rubric, prompt, model and parameters: equal for equal ways of judging
    scores: dict[str, float] = {}  # of a rubric that rates: each criterion from 0 to 1
    label: str = ""  # of a rubric that decides: "correct", "partly", "wrong" or "cannot_tell"
    reference_number: int | None = None  # of the reference it was held against, from 1
    reasons: dict[str, str] = {}  # by criterion, escaped
    evidence: list[str] = []  # what it quotes, escaped
    votes: dict[str, int] = {}  # how many of its replies said what
    flags: list[str] = []  # "own_family", "quote_not_found", "later_facts", "contradicts_itself"
    detail: str = ""  # why there is no judgement
    tokens_in: int = 0
    tokens_out: int = 0


JUDGE_LANGUAGES = ("en", "ru", "zh")  # that model judges and people are asked in


def judge_language(named: object) -> str:
    """The language in which a row whose language is `named` is judged: English where there is no other."""
    return named if isinstance(named, str) and named in JUDGE_LANGUAGES else JUDGE_LANGUAGES[0]


class Exhibit(NamedTuple):
    """What a judge is shown of one answer: trusted sections by title, and the text to be judged."""

    rubric: str  # a name of `judges.rubric`
    language: str  # of the judge's prompt, one of JUDGE_LANGUAGES
    sections: Mapping[str, str]  # such as "Question", "Reference answer 1 (linked fix)"
    candidate: str
    references: int = 0  # how many reference answers are among the sections
    known: tuple[str, ...] = ()  # titles of the sections that say what is right
    code: str = ""  # title of the section with the code that the answer is about
    lang: str = ""  # that code's language


@runtime_checkable
class Weighted(Protocol):
    """A track whose answers have a total: the weighted mean of its parts."""

    weights: Mapping[str, float]  # of each part, together 1

    def weighing(self, weights: Mapping[str, float]) -> Track:
        """The track with other weights."""
        ...


@runtime_checkable
class HeldAgainstPeople(Protocol):
    """A track that knows what people's labels come to in its own figures."""

    def by_people(self, said: Mapping[str, float | str]) -> Mapping[str, float]:
        """By figure, from 0 to 1, what people's results for the fields of one answer come to."""
        ...

    def by_verdict(self, verdict: Verdict) -> Mapping[str, float]:
        """By the same figures what a verdict gives; nothing for one that is undecided."""
        ...

    def stratum(self, task: Task) -> str:
        """What tasks are taken together by, such as the language; empty where the row does not say it."""
        ...


@runtime_checkable
class Assessable(Protocol):
    """A track whose answers model judges can assess, beside what its rules say."""

    rubrics: tuple[str, ...]  # names of `judges.rubric` that its exhibits use

    def exhibit(self, task: Task, answer: Answer, taken: Extraction, verdict: Verdict) -> Exhibit | None:
        """What a judge is to be shown; None for an answer that its verdict has settled already.

        Asked only of answers whose verdict by rules is `scored` or `undecided`.
        """
        ...

    def assessed(self, task: Task, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
        """The verdict with what the judges say in it; the same again when it is called on its own result.

        Without assessments it is the verdict by rules, also of one that had assessments in it: so judges can
        be added to a run that others have assessed.
        """
        ...

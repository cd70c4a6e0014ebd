"""Results of judges as parts of a verdict, in addition to the parts set by rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchwright.contracts import Assessment, AssessmentStatus
from benchwright.records import Outcome, Verdict

PEOPLE = "people"  # name of the judge that stands for all people
JUDGE = "judge "  # begins the name of each such part; the judge's own name follows
_ENDS: Mapping[AssessmentStatus, Outcome] = {
    "undecided": Outcome.undecided,
    "unparsable": Outcome.unparsable,
    "missing": Outcome.model_error,
}
_LABELS = {"correct": Outcome.passed, "partly": Outcome.scored, "wrong": Outcome.wrong}


def with_judges(verdict: Verdict, assessments: Sequence[Assessment]) -> dict[str, Outcome]:
    """The verdict's parts with one part per judge: its decision or rating, or why there is none."""
    said = {f"{JUDGE}{each.judge}": _end(each) for each in assessments}
    return {**by_rule(verdict.parts), **dict(sorted(said.items()))}


def by_rule(parts: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The parts that are not by a judge."""
    return {name: end for name, end in parts.items() if not name.startswith(JUDGE)}


def by_judge(parts: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The parts by judges, by name of the judge."""
    return {name.removeprefix(JUDGE): end for name, end in parts.items() if name.startswith(JUDGE)}


def are_judged(answers: Iterable[Mapping[str, Outcome]]) -> bool:
    """Whether any of the answers has a part by a judge."""
    return any(name.startswith(JUDGE) for parts in answers for name in parts)


def _end(assessment: Assessment) -> Outcome:
    if assessment.status == "judged":
        return _LABELS.get(assessment.label, Outcome.scored)
    return _ENDS[assessment.status]

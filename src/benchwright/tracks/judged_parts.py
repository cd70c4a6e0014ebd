"""What each model judge said, as parts of a verdict, beside the parts that rules have put there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from benchwright.contracts import Assessment, AssessmentStatus
from benchwright.records import Outcome, Verdict

PEOPLE = "people"  # the judge that all people are together, where they decide what nobody else could
JUDGE = "judge "  # begins the name of each such part; the judge's own name follows
_ENDS: Mapping[AssessmentStatus, Outcome] = {
    "undecided": Outcome.undecided,
    "unparsable": Outcome.unparsable,
    "missing": Outcome.model_error,
}
_LABELS = {"correct": Outcome.passed, "partly": Outcome.scored, "wrong": Outcome.wrong}


def with_judges(verdict: Verdict, assessments: Sequence[Assessment]) -> dict[str, Outcome]:
    """The verdict's parts with one for each judge: how it decided or rated, or why it did not."""
    said = {f"{JUDGE}{each.judge}": _end(each) for each in assessments}
    return {**by_rule(verdict.parts), **dict(sorted(said.items()))}


def by_rule(parts: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The parts that no judge said."""
    return {name: end for name, end in parts.items() if not name.startswith(JUDGE)}


def by_judge(parts: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """What each judge said, by its name."""
    return {name.removeprefix(JUDGE): end for name, end in parts.items() if name.startswith(JUDGE)}


def are_judged(answers: Iterable[Mapping[str, Outcome]]) -> bool:
    """Whether a judge was asked about any of these."""
    return any(name.startswith(JUDGE) for parts in answers for name in parts)


def _end(assessment: Assessment) -> Outcome:
    if assessment.status == "judged":
        return _LABELS.get(assessment.label, Outcome.scored)
    return _ENDS[assessment.status]

"""The verdict on an answer to an issue: what the judges decided, where rules alone could not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from benchwright.contracts import Assessment, IssueSpec
from benchwright.contracts.smartcoding import RULES_CANNOT_TELL
from benchwright.records import Outcome, Verdict
from benchwright.tracks.judged_parts import PEOPLE, by_judge, with_judges

ANSWER, STRONGEST = "answer", "strongest"
_VERDICTS = {
    "correct": (Outcome.passed, 1.0),
    "partly": (Outcome.scored, 0.5),
    "wrong": (Outcome.wrong, 0.0),
}


def assessed(spec: IssueSpec, verdict: Verdict, assessments: Sequence[Assessment]) -> Verdict:
    """The verdict with what most judges decided; a tie, or most who cannot tell, leaves it undecided.

    `scores` get "answer": 1 correct, 0.5 partly, 0 wrong; and "strongest": 1 where it is correct by a
    reference as strong as the strongest. Judges without a reply that can be read have no vote. A verdict
    that the rules have settled stays as it is.
    """
    if verdict.outcome is not Outcome.undecided and not by_judge(verdict.parts):
        return verdict
    kept = {name: value for name, value in verdict.scores.items() if name not in (ANSWER, STRONGEST)}
    parts = with_judges(verdict, assessments)
    label = _most(assessments)
    if label not in _VERDICTS:
        detail = _detail(verdict.detail, RULES_CANNOT_TELL)
        return msgspec.structs.replace(
            verdict, outcome=Outcome.undecided, scores=kept, parts=parts, detail=detail
        )
    outcome, value = _VERDICTS[label]
    by_strongest = label == "correct" and _agrees_with_strongest(spec, assessments)
    scores = {ANSWER: value, STRONGEST: float(by_strongest), **kept}
    if label == "correct" and all(each.judge == PEOPLE for each in assessments):
        del scores[STRONGEST]  # people hold an answer against all references at once
    detail = _detail(verdict.detail)
    return msgspec.structs.replace(verdict, outcome=outcome, scores=scores, parts=parts, detail=detail)


def _detail(by_rules: str, *before: str) -> str:
    """What rules say of an answer; that they cannot tell stands before it while nobody else could."""
    rest = by_rules.removeprefix(RULES_CANNOT_TELL).removeprefix("; ")
    return "; ".join([*before, *([rest] if rest else [])])


def _most(assessments: Sequence[Assessment]) -> str:
    """The label that more judges said than any other; empty where there is none."""
    labels = Counter(
        each.label if each.status == "judged" else "cannot_tell"
        for each in assessments
        if each.status in ("judged", "undecided")
    )
    (first, votes), *others = labels.most_common(2) or [("", 0)]
    return "" if others and others[0][1] == votes else first


def _agrees_with_strongest(spec: IssueSpec, assessments: Sequence[Assessment]) -> bool:
    """Whether more of the judges who found it correct held it against such a reference than not."""
    named = [
        each.reference_number for each in assessments if each.status == "judged" and each.label == "correct"
    ]
    best = spec.references[0].strength if spec.references else ""
    strong = sum(
        at is not None and at <= len(spec.references) and spec.references[at - 1].strength == best
        for at in named
    )
    return 2 * strong > len(named)

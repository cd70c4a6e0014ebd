"""Verdicts on answers to issues: decisions of judges where rules cannot decide."""

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
    """The verdict with the judges' majority decision; undecided for a tie or a majority of "cannot tell".

    `scores` get "answer": 1 correct, 0.5 partly, 0 wrong; and "strongest": 1 if it is correct by a
    reference as strong as the strongest one. Judges without a readable reply have no vote. A verdict
    settled by rules is unchanged.
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
        del scores[STRONGEST]  # people compare an answer with all references at once
    detail = _detail(verdict.detail)
    return msgspec.structs.replace(verdict, outcome=outcome, scores=scores, parts=parts, detail=detail)


def _detail(by_rules: str, *before: str) -> str:
    """Details by rules, prefixed by RULES_CANNOT_TELL while the answer is undecided."""
    rest = by_rules.removeprefix(RULES_CANNOT_TELL).removeprefix("; ")
    return "; ".join([*before, *([rest] if rest else [])])


def _most(assessments: Sequence[Assessment]) -> str:
    """The label with most votes; empty for a tie."""
    labels = Counter(
        each.label if each.status == "judged" else "cannot_tell"
        for each in assessments
        if each.status in ("judged", "undecided")
    )
    (first, votes), *others = labels.most_common(2) or [("", 0)]
    return "" if others and others[0][1] == votes else first


def _agrees_with_strongest(spec: IssueSpec, assessments: Sequence[Assessment]) -> bool:
    """Whether most judges that found the answer correct compared it with a strongest reference."""
    named = [
        each.reference_number for each in assessments if each.status == "judged" and each.label == "correct"
    ]
    best = spec.references[0].strength if spec.references else ""
    strong = sum(
        at is not None and at <= len(spec.references) and spec.references[at - 1].strength == best
        for at in named
    )
    return 2 * strong > len(named)

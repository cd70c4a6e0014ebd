"""Verdicts on commented code: scores by rules and by judges, combined by declared shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum
from statistics import fmean

import msgspec

from benchwright.contracts import Assessment
from benchwright.records import Outcome, Verdict
from benchwright.tracks.judged_parts import with_judges

FORMAT, ACCURACY, LOGIC, TOTAL = "format", "accuracy", "logic", "total"
PARTS = (FORMAT, ACCURACY, LOGIC)
WEIGHTS: Mapping[str, float] = dict.fromkeys(PARTS, 1 / 3)  # of each part in the total
# Share of judges in a part, if any were asked; the rest is by rule. Format (places, names, languages) can
# be checked by rules; explanations need a reader.
JUDGES_SHARE = {FORMAT: 0.0, ACCURACY: 0.5, LOGIC: 0.7}
DIGITS = 6  # as many as judges by rule keep
HELD_AGAINST = "annotation_f1"  # a score of answers that rules held against a reference: no total without
_RULE, _JUDGE = "rule_", "judge_"
_JUDGED = tuple(_JUDGE + name for name in PARTS)


def assessed(
    verdict: Verdict, assessments: Sequence[Assessment], weights: Mapping[str, float] = WEIGHTS
) -> Verdict:
    """The verdict with format, accuracy, logic and total, computed from its `rule_` scores and assessments.

    Judges have equal weight. Without assessments, scores are by rule only, and there is no total without a
    reference. If judges were asked and none could decide, the outcome is `undecided` and there is no total,
    because a score by rule only would be on another scale. A verdict settled by rules is unchanged.
    """
    if verdict.outcome not in (Outcome.scored, Outcome.undecided):
        return verdict
    kept = {name: value for name, value in verdict.scores.items() if name not in (*PARTS, TOTAL, *_JUDGED)}
    parts = with_judges(verdict, assessments)
    judged = _by_judges(assessments)
    if assessments and not judged:
        return msgspec.structs.replace(verdict, outcome=Outcome.undecided, scores=kept, parts=parts)
    found = {name: value for name in PARTS if (value := _mixed(name, kept, judged)) is not None}
    whole = {TOTAL: total(found, weights)} if judged or HELD_AGAINST in kept else {}
    scores = {**found, **whole, **kept, **judged}
    return msgspec.structs.replace(verdict, outcome=Outcome.scored, scores=scores, parts=parts)


def total(parts: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> float:
    """Weighted mean of the available parts; 0 if none has a weight."""
    whole = fsum(weights[name] for name in parts)
    mean = fsum(weights[name] * value for name, value in parts.items()) / whole if whole else 0.0
    return round(min(1.0, mean), DIGITS)


def _by_judges(assessments: Sequence[Assessment]) -> dict[str, float]:
    """Means of the judges' scores, by `judge_` name."""
    given = [each.scores for each in assessments if each.status == "judged"]
    found = {name: [scores[name] for scores in given if name in scores] for name in PARTS}
    return {_JUDGE + name: round(fmean(values), DIGITS) for name, values in found.items() if values}


def _mixed(name: str, rules: Mapping[str, float], judged: Mapping[str, float]) -> float | None:
    """A part combined from rule and judges by their shares; from one of them if the other has no score."""
    rule, judge = rules.get(_RULE + name), judged.get(_JUDGE + name)
    share = JUDGES_SHARE[name]
    if rule is None or judge is None or not share:
        return judge if rule is None else rule
    return round((1 - share) * rule + share * judge, DIGITS)

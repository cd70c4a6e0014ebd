"""The judge of comments: the code must be as it was, then three scores by rule.

Nothing is executed, and nothing that the answer says is taken for more than text.
"""

from __future__ import annotations

from statistics import fmean

from benchwright.contracts import CommentSpec, Extraction, Judgement
from benchwright.display.escape import escaped_start
from benchwright.judges.comments.accuracy import Accuracy, accuracy
from benchwright.judges.comments.added import AnsweredCode
from benchwright.judges.comments.form import Check, form_checks
from benchwright.judges.comments.given import GivenCode
from benchwright.judges.comments.logic import Logic, logic
from benchwright.judges.opening import Resources
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.lang.comments import first_change, read_comments
from benchwright.records import Outcome

SCORES = ("format", "accuracy", "logic")
ENOUGH_SAID = 0.75  # tolerated share of an answer's claims: a quarter may be plain
_DIGITS = 6


class CommentJudge:
    """Judges commented code: `scored`, or `wrong` with all scores 0 if the code was changed.

    `parts` are the checks of format: passed, wrong, or scored if a share of it holds.
    """

    spec = CommentSpec

    def __init__(self, resources: Resources) -> None:
        self._given: GivenCode | None = None  # of the last spec: answers to one task are consecutive

    def judge(self, taken: Extraction, spec: CommentSpec) -> Judgement:
        """Return the judgement at once."""
        if self._given is None or self._given.spec != spec:
            self._given = GivenCode(spec)
        code = read_comments(taken.program, spec.lang)
        change = first_change(self._given.code, code)
        if change is not None:
            return _nothing(self._given, Outcome.wrong, f"the code was changed: {change}")
        answered = AnsweredCode(self._given, taken.program, code)
        note = f"a comment speaks to the judge: {answered.addressed!r}" if answered.addressed else ""
        if not answered.added:
            return _nothing(self._given, Outcome.scored, "no comment was added", note=note)
        return _scored(answered, note)


def _nothing(given: GivenCode, outcome: Outcome, why: str, *, note: str = "") -> Judgement:
    scores = {f"{prefix}{name}": 0.0 for prefix in ("", "rule_") for name in SCORES}
    if given.has_references:
        scores |= {"total": 0.0, "annotation_f1": 0.0}
    return Judgement(outcome=outcome, detail=_shown(why), scores=scores, suspicious=_shown(note))


def _scored(answered: AnsweredCode, note: str) -> Judgement:
    checks, truth, sense = form_checks(answered), accuracy(answered), logic(answered)
    substance = min(1.0, fmean([claim.worth for claim in answered.claims] or [0.0]) / ENOUGH_SAID)
    form = fmean(check.value for check in checks) * substance
    found = [form, truth.value, sense.value]
    values = [round(value, _DIGITS) for value in found]  # the total counts only what remains
    rules = dict(zip(SCORES, values, strict=True))
    # Without a reference, rules cannot tell a right comment from a wrong one: parts, and no total of them.
    scores = {**rules, **({"total": sum(values) / len(values)} if answered.given.has_references else {})}
    scores |= {f"rule_{name}": value for name, value in rules.items()}
    scores |= {"substance": substance, **_details(truth, sense)}
    return Judgement(
        outcome=Outcome.scored,
        detail=_shown(_why(rules, checks, truth, sense)),
        scores={name: round(value, _DIGITS) for name, value in scores.items()},
        parts={check.name: _end(check) for check in checks},
        suspicious=_shown(note),
    )


def _details(truth: Accuracy, sense: Logic) -> dict[str, float]:
    """Return the figures behind the scores that apply."""
    found = {
        "annotation_precision": truth.precision,
        "annotation_recall": truth.recall,
        "annotation_f1": truth.f1,
        "entity_truth": truth.truth,
        "key_lines": sense.coverage,
        "echo": sense.echo,
        "chrf": truth.chrf,
    }
    return {name: value for name, value in found.items() if value is not None}


def _end(check: Check) -> Outcome:
    if check.value in (0.0, 1.0):
        return Outcome.passed if check.value else Outcome.wrong
    return Outcome.scored


def _why(rules: dict[str, float], checks: list[Check], truth: Accuracy, sense: Logic) -> str:
    amiss = [check.amiss for check in checks if check.amiss]
    against = []
    if truth.f1 is not None:
        against.append(f"annotations precision {truth.precision:.2f}, recall {truth.recall:.2f}")
    if truth.across:
        against.append(f"{truth.across} compared by names alone, across languages")
    against += truth.untrue[:3]
    if truth.absent:
        against.append(f"not in the code: {', '.join(truth.absent[:5])}")
    elif truth.truth is None and truth.f1 is None:
        against.append("no reference, and no name mentioned")
    why = [f"{sense.covered} of {sense.key_lines} key lines"] if sense.key_lines else []
    why += [f"{sense.echoes} of {sense.comments} comments add nothing to their code"] if sense.echoes else []
    reasons = dict(zip(SCORES, (amiss, against, why), strict=True))
    return "; ".join(
        f"{name} {rules[name]:.2f}" + (f" ({', '.join(reasons[name])})" if reasons[name] else "")
        for name in SCORES
    )


def _shown(text: str) -> str:
    return escaped_start(text, DETAIL_LIMIT)

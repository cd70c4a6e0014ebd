"""The judge of comments: the code must be unchanged; then three scores by rule, and the checks of format.

Nothing is executed. Format is the mean of the checks that apply, each a share from 0 to 1 with its fault.
style: documentation comments show the requested style, or the language's own. documented: every parameter,
return value and exception is documented, if there is a documentation comment or the unit is a function.
parameters_exist: the documented ones exist. placement: no comment follows the last line of code, and
documentation is where the language has it. indentation: a comment starts where its code does. language:
comments are in the requested natural language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from benchwright.contracts import CommentSpec, Extraction, Judgement
from benchwright.display.escape import escaped_start
from benchwright.judges.comments.accuracy import CommentAccuracy, CommentLogic, accuracy, logic
from benchwright.judges.comments.added_comments import (
    AddedComment,
    AnsweredCode,
    head,
    is_parameter,
    to_document,
    undocumented,
)
from benchwright.judges.comments.given_code import GivenCode
from benchwright.judges.judge_registry import Resources
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.lang.comment_records import CodeToken
from benchwright.lang.docstyles.styles import detect, shows_style
from benchwright.records import Outcome

SCORES = ("format", "accuracy", "logic")
ENOUGH_SUBSTANCE = 0.75  # tolerated share of an answer's claims: a quarter may be plain
_DIGITS = 6


class CommentJudge:
    """Judges commented code: `scored`, or `wrong` with all scores 0 if the code was changed.

    `parts` are the checks of format: passed, wrong, or scored if a share of it holds.
    """

    spec = CommentSpec

    def __init__(self, resources: Resources) -> None:
        self._given_code: GivenCode | None = None  # of the last spec: answers to one task are consecutive

    def judge(self, taken: Extraction, spec: CommentSpec) -> Judgement:
        """Return the judgement at once."""
        if self._given_code is None or self._given_code.spec != spec:
            self._given_code = GivenCode(spec)
        code = read_comments(taken.program, spec.lang)
        change = first_change(self._given_code.code, code)
        if change is not None:
            return _nothing(self._given_code, Outcome.wrong, f"the code was changed: {change}")
        answered = AnsweredCode(self._given_code, taken.program, code)
        note = f"a comment speaks to the judge: {answered.addressed!r}" if answered.addressed else ""
        if not answered.added:
            return _nothing(self._given_code, Outcome.scored, "no comment was added", note=note)
        return _scored(answered, note)


def _nothing(given: GivenCode, outcome: Outcome, why: str, *, note: str = "") -> Judgement:
    scores = {f"{prefix}{name}": 0.0 for prefix in ("", "rule_") for name in SCORES}
    if given.has_references:
        scores |= {"total": 0.0, "annotation_f1": 0.0}
    return Judgement(outcome=outcome, detail=_shown(why), scores=scores, suspicious=_shown(note))


def _scored(answered: AnsweredCode, note: str) -> Judgement:
    checks, truth, sense = form_checks(answered), accuracy(answered), logic(answered)
    substance = min(1.0, fmean([claim.worth for claim in answered.claims] or [0.0]) / ENOUGH_SUBSTANCE)
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


def _details(truth: CommentAccuracy, sense: CommentLogic) -> dict[str, float]:
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


def _end(check: FormCheck) -> Outcome:
    if check.value in (0.0, 1.0):
        return Outcome.passed if check.value else Outcome.wrong
    return Outcome.scored


def _why(
    rules: dict[str, float], checks: list[FormCheck], truth: CommentAccuracy, sense: CommentLogic
) -> str:
    form_faults = [check.fault for check in checks if check.fault]
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
    reasons = dict(zip(SCORES, (form_faults, against, why), strict=True))
    return "; ".join(
        f"{name} {rules[name]:.2f}" + (f" ({', '.join(reasons[name])})" if reasons[name] else "")
        for name in SCORES
    )


def _shown(text: str) -> str:
    return escaped_start(text, DETAIL_LIMIT)


_NO_PLACES = ("go",)  # the style without sections for parameters and results


class FormCheck(NamedTuple):
    """One applicable check: its share, and the fault if that is below 1."""

    name: str
    value: float
    fault: str = ""


def form_checks(answered: AnsweredCode) -> list[FormCheck]:
    """Return the checks that apply to an answer with comments; `placement` is always among them."""
    found = [
        _style(answered),
        _documented(answered),
        _parameters_exist(answered),
        _placement(answered),
        _indentation(answered),
        _language(answered),
    ]
    return [check for check in found if check is not None]


def _shared(name: str, right: int, total: int, fault: str) -> FormCheck | None:
    if not total:
        return None
    return FormCheck(name, right / total, "" if right == total else f"{name} {right} of {total}: {fault}")


def _style(answered: AnsweredCode) -> FormCheck | None:
    docs = [each for each in answered.added if each.doc is not None]
    wrong = [each for each in docs if not _is_in_style(each, answered)]
    style_names = " or ".join(answered.given.styles)
    where = f"line {wrong[0].comment.line} is not in {style_names} style" if wrong else ""
    return _shared("style", len(docs) - len(wrong), len(docs), where)


def _is_in_style(each: AddedComment, answered: AnsweredCode) -> bool:
    required_style, styles = answered.given.spec.style, answered.given.styles
    if not any(shows_style(each.text, style) for style in styles):
        return False
    if styles == _NO_PLACES:
        return each.declared is None or _begins_with(each.text, each.declared.name)
    return (
        not required_style
        or bool(detect(each.text))
        or each.declared is None
        or not to_document(each.declared)
    )


def _begins_with(text: str, name: str) -> bool:
    """Return whether the first word is the name, after an optional article: Go's rule."""
    first = [word for word in text.split()[:2] if word not in ("A", "An", "The")][:1]
    return [word.rstrip(",.:;") for word in first] == [name.rpartition(".")[2]]


def _documented(answered: AnsweredCode) -> FormCheck | None:
    if answered.given.styles == _NO_PLACES:
        return None
    documented = {each.declared.name: each for each in answered.added if each.declared is not None}
    functions = [each for each in answered.code.declared if each.kind != "class"]
    judged = [each for each in functions if each.name in documented]
    if answered.given.spec.unit == "function" and functions and functions[0].name not in documented:
        judged = [functions[0], *judged]
    missing: list[str] = []
    total = 0
    for function in judged:
        total += len(to_document(function))
        by = documented.get(function.name)
        missing += undocumented(function, by, answered)
    return _shared("documented", total - len(missing), total, f"{', '.join(missing[:3])} not documented")


def _parameters_exist(answered: AnsweredCode) -> FormCheck | None:
    absent: list[str] = []
    total = 0
    for each in answered.added:
        if each.doc is None or each.declared is None or not each.doc.parameters:
            continue
        names = {head(part.name) for part in each.doc.parameters if not part.name.startswith("<")}
        total += len(names)
        absent += sorted(name for name in names if not is_parameter(name, each.declared, answered))
    return _shared("parameters_exist", total - len(absent), total, f"no parameter {', '.join(absent[:3])}")


def _placement(answered: AnsweredCode) -> FormCheck | None:
    tokens = answered.code.tokens
    last = next((at for at in range(len(tokens) - 1, -1, -1) if not tokens[at].text.startswith("\n")), -1)
    wrong = [each for each in answered.added if _is_misplaced(each, last)]
    where = f"line {wrong[0].comment.line}" if wrong else ""
    return _shared("placement", len(answered.added) - len(wrong), len(answered.added), where)


def _is_misplaced(each: AddedComment, last: int) -> bool:
    comment = each.comment
    if comment.kind == "doc":
        return False
    return (comment.at > last and not comment.trailing) or bool(detect(each.text))


def _indentation(answered: AnsweredCode) -> FormCheck | None:
    alone = [each for each in answered.added if not each.comment.trailing and not _is_inside(each)]
    lines = answered.program.split("\n")
    wrong = [each for each in alone if each.comment.column not in _columns(each, answered, lines)]
    where = f"line {wrong[0].comment.line}" if wrong else ""
    return _shared("indentation", len(alone) - len(wrong), len(alone), where)


def _is_inside(each: AddedComment) -> bool:
    """Return whether a comment is a docstring, whose indent the language requires."""
    return each.declared is not None and each.comment.line > each.declared.first_line


def _columns(each: AddedComment, answered: AnsweredCode, lines: Sequence[str]) -> set[int]:
    """Return the columns of the code before and after a comment."""
    tokens, at = answered.code.tokens, each.comment.at
    near = (_first_plain(tokens, range(at, len(tokens))), _first_plain(tokens, range(at - 1, -1, -1)))
    found = [lines[line - 1] for line in near if 0 < line <= len(lines)]
    return {len(line) - len(line.lstrip()) for line in found}


def _first_plain(tokens: Sequence[CodeToken], places: Iterable[int]) -> int:
    """Return the line of the first token that is not structure; 0 for none."""
    return next((tokens[at].line for at in places if not tokens[at].text.startswith("\n")), 0)


def _language(answered: AnsweredCode) -> FormCheck | None:
    required = answered.given.spec.language
    if not required:
        return None
    known = [each.prose.language for each in answered.added if each.prose.language]
    return _shared("language", known.count(required), len(known), f"not in {required!r}")

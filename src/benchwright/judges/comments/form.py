"""Format by rule: the mean of those checks that apply, each a share from 0 to 1 with what is amiss.

style: documentation comments show the style asked for, or the language's own. documented: every parameter,
returned value and exception is documented, where there is a documentation comment or the unit is a function.
parameters_exist: those documented are there. placement: nothing hangs behind the last line of code, and what
is written as documentation stands where the language has it. indentation: a comment begins where its code
does. language: comments are in the natural language asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchwright.judges.comments.added import AddedComment, AnsweredCode
from benchwright.judges.comments.documented import head, is_parameter, to_document, undocumented
from benchwright.lang.commented import CodeToken
from benchwright.lang.docstyles.reading import detect, shows_style

_NO_PLACES = ("go",)  # the style without sections for parameters and results


class Check(NamedTuple):
    """One applicable check: its share, and the fault if that is below 1."""

    name: str
    value: float
    amiss: str = ""


def form_checks(answered: AnsweredCode) -> list[Check]:
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


def _shared(name: str, right: int, total: int, amiss: str) -> Check | None:
    if not total:
        return None
    return Check(name, right / total, "" if right == total else f"{name} {right} of {total}: {amiss}")


def _style(answered: AnsweredCode) -> Check | None:
    docs = [each for each in answered.added if each.doc is not None]
    wrong = [each for each in docs if not _is_in_style(each, answered)]
    asked = " or ".join(answered.given.styles)
    where = f"line {wrong[0].comment.line} is not in {asked} style" if wrong else ""
    return _shared("style", len(docs) - len(wrong), len(docs), where)


def _is_in_style(each: AddedComment, answered: AnsweredCode) -> bool:
    asked, styles = answered.given.spec.style, answered.given.styles
    if not any(shows_style(each.text, style) for style in styles):
        return False
    if styles == _NO_PLACES:
        return each.declared is None or _begins_with(each.text, each.declared.name)
    return not asked or bool(detect(each.text)) or each.declared is None or not to_document(each.declared)


def _begins_with(text: str, name: str) -> bool:
    """Return whether the first word is the name, after an optional article: Go's rule."""
    first = [word for word in text.split()[:2] if word not in ("A", "An", "The")][:1]
    return [word.rstrip(",.:;") for word in first] == [name.rpartition(".")[2]]


def _documented(answered: AnsweredCode) -> Check | None:
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


def _parameters_exist(answered: AnsweredCode) -> Check | None:
    absent: list[str] = []
    total = 0
    for each in answered.added:
        if each.doc is None or each.declared is None or not each.doc.parameters:
            continue
        names = {head(part.name) for part in each.doc.parameters if not part.name.startswith("<")}
        total += len(names)
        absent += sorted(name for name in names if not is_parameter(name, each.declared, answered))
    return _shared("parameters_exist", total - len(absent), total, f"no parameter {', '.join(absent[:3])}")


def _placement(answered: AnsweredCode) -> Check | None:
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


def _indentation(answered: AnsweredCode) -> Check | None:
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


def _language(answered: AnsweredCode) -> Check | None:
    asked = answered.given.spec.language
    if not asked:
        return None
    known = [each.saying.language for each in answered.added if each.saying.language]
    return _shared("language", known.count(asked), len(known), f"not in {asked!r}")

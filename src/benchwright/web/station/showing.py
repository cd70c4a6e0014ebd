"""View of an item on a page: safe texts, code by lines, choices with keys; never an origin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from benchwright.display.escape import escaped, escaped_code
from benchwright.judges.people.guidance import Guidance
from benchwright.judges.people.records import (
    ANNOTATION,
    DECISION,
    DECISIONS,
    GRADES,
    PREFERENCE,
    JudgedItem,
)
from benchwright.lang.lines import lines_of
from benchwright.report.graded_answers import line_places
from benchwright.web.station.marking_down import as_html, as_notes

SHOWN = 12_000  # characters of a text on a page; the rest opens on request
SHOWN_LINES = 600
SHOWN_IN_ALL = 4 * SHOWN  # characters of all texts of an item: hostile Markdown costs 0.2 s a text
_TITLES = {"cannot_tell": "cannot tell", "both_bad": "both bad"}
_SIDES = (("a", "A"), ("b", "B"), ("tie", "T"), ("both_bad", "X"))


class CodeLine(NamedTuple):
    """A line of code: the part of the given code, and the part that was added."""

    number: int
    given: str
    added: str


class ShownText(NamedTuple):
    """A text on the page: HTML, or code by lines. `whole` is the full length if it is truncated, else 0."""

    title: str
    html: Markup | None
    lines: Sequence[CodeLine]
    whole: int
    place: int  # number in the frame's address


class Choice(NamedTuple):
    """A value of a field, its key and its meaning."""

    value: str
    key: str
    title: str
    meaning: str


class AskedField(NamedTuple):
    """A field of the form; a text field if it has no choices."""

    name: str
    title: str
    choices: Sequence[Choice]


class ShownItem(NamedTuple):
    """All that a judge sees of an item."""

    question: ShownText | None
    code: ShownText | None
    references: Sequence[ShownText]
    answers: Sequence[ShownText]
    fields: Sequence[AskedField]
    lang: str


def show_item(item: JudgedItem, guidance: Guidance, shown: str = "") -> ShownItem:
    """The item for a judge; `shown` is "ba" if the sides of a pair are swapped."""
    texts = texts_of(item, shown)
    room = _room([len(text) for _, text in texts])
    parts = [_part(number, *text, item, room) for number, text in enumerate(texts)]
    known = 2 + len(item.references)
    code = parts[1] if item.code and not item.answers else None
    return ShownItem(
        question=parts[0] if item.question else None,
        code=code,
        references=parts[2:known],
        answers=parts[known:],
        fields=[_asked(name, guidance) for name in item.fields],
        lang=item.lang.lower(),
    )


def texts_of(item: JudgedItem, shown: str = "") -> list[tuple[str, str]]:
    """Title and text of all parts, in the order of the frames' numbers."""
    answers = [answer.text for answer in item.answers]
    if shown == "ba":
        answers.reverse()
    titles = ["Answer"] if len(answers) == 1 else ["Answer A", "Answer B"]
    if item.code and len(answers) == 1:
        titles = ["Commented code"]
    many = len(item.references) > 1
    return [
        ("Question", item.question),
        ("Code", item.code),
        *(
            (f"Reference answer {number}" if many else "Known answer", text)
            for number, text in enumerate(item.references, 1)
        ),
        *zip(titles, answers, strict=False),
    ]


def _room(lengths: Sequence[int]) -> int:
    """The number of characters shown of each text, so that all texts have at most SHOWN_IN_ALL."""
    left = SHOWN_IN_ALL
    for number, length in enumerate(sorted(lengths)):
        room = min(SHOWN, left // (len(lengths) - number))
        if length > room:
            return room
        left -= length
    return SHOWN


def _part(number: int, title: str, text: str, item: JudgedItem, room: int) -> ShownText:
    cut = text[:room]
    is_code = bool(item.code) and (number == 1 or number >= 2 + len(item.references))
    if not is_code:
        is_list = bool(item.code) and number > 1  # comments by line: no Markdown, line breaks kept
        html = as_notes(cut, item.code) if is_list else as_html(cut)
        return ShownText(title, html, (), len(text) if len(cut) < len(text) else 0, number)
    lines = code_lines("" if number == 1 else item.code, cut)
    short = len(cut) == len(text) and len(lines) <= SHOWN_LINES
    return ShownText(title, None, lines[:SHOWN_LINES], 0 if short else len(text), number)


def code_lines(given: str, text: str) -> list[CodeLine]:
    """The lines of a text with their part of the given code; without given code all is given."""
    written = lines_of(text)
    if not given:
        return [CodeLine(number, escaped_code(line), "") for number, line in enumerate(written, 1)]
    before = lines_of(given[:SHOWN_IN_ALL])
    kept = {place: before[number - 1] for number, place in line_places(given, text).items()}
    return [_line(number, line, kept.get(number)) for number, line in enumerate(written, 1)]


def _line(number: int, line: str, kept: str | None) -> CodeLine:
    if kept is None:
        given = "" if line.strip() else line
        return CodeLine(number, escaped_code(given), escaped_code(line[len(given) :]))
    end = line.find(kept.strip()) + len(kept.strip())
    return CodeLine(number, escaped_code(line[:end]), escaped_code(line[end:].rstrip(" \t")))


def _asked(name: str, guidance: Guidance) -> AskedField:
    means = guidance.anchors.get(name, {})
    if name == ANNOTATION:
        return AskedField(name, "Your answer", ())
    if name == PREFERENCE:
        return AskedField(
            name,
            "Which is better?",
            [Choice(value, key, _title(value), means.get(value, "")) for value, key in _SIDES],
        )
    if name == DECISION:
        return AskedField(
            name,
            "Is the answer correct?",
            [
                Choice(value, str(key), _title(value), means.get(value, ""))
                for key, value in enumerate(DECISIONS, 1)
            ],
        )
    grades = [Choice(str(each), str(each), str(each), means.get(str(each), "")) for each in GRADES]
    return AskedField(name, escaped(name).capitalize(), grades)


def _title(value: str) -> str:
    return {"a": "A", "b": "B"}.get(value) or _TITLES.get(value, value)

"""The page of a judge: what it shows of an item, and what is read for it in one transaction.

Texts are made safe, code is split into lines, choices get their keys. The origin of an answer is never
shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from markupsafe import Markup
from sqlalchemy import Connection, bindparam, select
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped, escaped_code
from benchwright.judges.people.guidance import Guidance
from benchwright.judges.people.records import (
    ANNOTATION,
    ANSWERED,
    DECISION,
    GRADES,
    LABELLED,
    PREFERENCE,
    ItemAnswer,
    JudgedItem,
)
from benchwright.lang.lines import lines_of
from benchwright.report.graded_answers import line_places
from benchwright.web.station.assignment import AssignedItem, assign_next
from benchwright.web.station.blinding import new_page, shown_order, turn_of
from benchwright.web.station.judge_session import (
    JudgeProgress,
    JudgeSession,
    items_left,
    project_facts,
    recount,
)
from benchwright.web.station.markdown import markdown_html, notes_html
from benchwright.web.station.tables import ITEM_ANSWERS, ITEMS, TEXTS, TURNS

SHOWN = 12_000  # characters of a text on a page; the rest opens on request
SHOWN_LINES = 600
SHOWN_IN_ALL = 4 * SHOWN  # characters of all texts of an item: hostile Markdown costs 0.2 s a text
_TITLES = {"cannot_tell": "cannot tell", "both_bad": "both bad"}
_QUESTIONS = {DECISION: "Is the answer correct?", ANSWERED: "Did the change answer the remark?"}
_SIDES = (("a", "A"), ("b", "B"), ("tie", "T"), ("both_bad", "X"))


class CodeLine(NamedTuple):
    """A line of code: the part of the given code, and the part that was added."""

    number: int
    given: str
    added: str


class TextView(NamedTuple):
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


class FormField(NamedTuple):
    """A field of the form; a text field if it has no choices."""

    name: str
    title: str
    choices: Sequence[Choice]


class ItemView(NamedTuple):
    """All that a judge sees of an item."""

    question: TextView | None
    code: TextView | None
    references: Sequence[TextView]
    answers: Sequence[TextView]
    fields: Sequence[FormField]
    lang: str


def show_item(item: JudgedItem, guidance: Guidance, shown: str = "") -> ItemView:
    """The item for a judge; `shown` is "ba" if the sides of a pair are swapped."""
    texts = texts_of(item, shown)
    room = _room([len(text) for _, text in texts])
    parts = [_part(number, *text, item, room) for number, text in enumerate(texts)]
    known = 2 + len(item.references)
    code = parts[1] if item.code and (not item.answers or item.kind == "link") else None
    return ItemView(
        question=parts[0] if item.question else None,
        code=code,
        references=parts[2:known],
        answers=parts[known:],
        fields=[form_field(name, guidance) for name in item.fields],
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
    question, code = "Question", "Code"
    if item.kind == "link":
        question, code, titles = "Remark", "Lines before", ["Change"]
    many = len(item.references) > 1
    return [
        (question, item.question),
        (code, item.code),
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


def _part(number: int, title: str, text: str, item: JudgedItem, room: int) -> TextView:
    cut = text[:room]
    is_code = bool(item.code) and (number == 1 or number >= 2 + len(item.references))
    if not is_code:
        is_list = bool(item.code) and number > 1  # comments by line: no Markdown, line breaks kept
        html = notes_html(cut, item.code) if is_list else markdown_html(cut)
        return TextView(title, html, (), len(text) if len(cut) < len(text) else 0, number)
    lines = code_lines("" if number == 1 or item.kind == "link" else item.code, cut)
    short = len(cut) == len(text) and len(lines) <= SHOWN_LINES
    return TextView(title, None, lines[:SHOWN_LINES], 0 if short else len(text), number)


def code_lines(given: str, text: str) -> list[CodeLine]:
    """The lines of a text with their part of the given code; without given code all is given."""
    written = lines_of(text)
    if not given:
        return [CodeLine(number, escaped_code(line), "") for number, line in enumerate(written, 1)]
    before = lines_of(given[:SHOWN_IN_ALL])
    unchanged = {place: before[number - 1] for number, place in line_places(given, text).items()}
    return [_line(number, line, unchanged.get(number)) for number, line in enumerate(written, 1)]


def _line(number: int, line: str, old_line: str | None) -> CodeLine:
    if old_line is None:
        given = "" if line.strip() else line
        return CodeLine(number, escaped_code(given), escaped_code(line[len(given) :]))
    end = line.find(old_line.strip()) + len(old_line.strip())
    return CodeLine(number, escaped_code(line[:end]), escaped_code(line[end:].rstrip(" \t")))


def form_field(name: str, guidance: Guidance) -> FormField:
    """The field of a form with its choices; their meanings are those of the rubric."""
    means = guidance.anchors.get(name, {})
    if name == ANNOTATION:
        return FormField(name, "Your answer", ())
    if name == PREFERENCE:
        return FormField(
            name,
            "Which is better?",
            [Choice(value, key, _title(value), means.get(value, "")) for value, key in _SIDES],
        )
    if name in _QUESTIONS:
        return FormField(
            name,
            _QUESTIONS[name],
            [
                Choice(value, str(key), _title(value), means.get(value, ""))
                for key, value in enumerate(LABELLED[name], 1)
            ],
        )
    grades = [Choice(str(each), str(each), str(each), means.get(str(each), "")) for each in GRADES]
    return FormField(name, escaped(name).capitalize(), grades)


def _title(value: str) -> str:
    return {"a": "A", "b": "B"}.get(value) or _TITLES.get(value, value)


_ABOUT, _ANSWER_TEXTS = TEXTS.alias("about"), TEXTS.alias("said")
_ITEM_QUERY = (
    select(ITEMS.c.item, ITEMS.c.kind, ITEMS.c.fields, _ABOUT.c.body, _ANSWER_TEXTS.c.body)
    .join(_ABOUT, _ABOUT.c.digest == ITEMS.c.subject)
    .outerjoin(ITEM_ANSWERS, ITEM_ANSWERS.c.item_id == ITEMS.c.id)
    .outerjoin(_ANSWER_TEXTS, _ANSWER_TEXTS.c.digest == ITEM_ANSWERS.c.text)
    .where(ITEMS.c.id == bindparam("number"))
    .order_by(ITEM_ANSWERS.c.place)
)


class PageState(NamedTuple):
    """The judge's current item, or none, and the progress. `left` includes the current item; `page` is the
    token of the page's forms.
    """

    page: str
    rubric: str  # the stored document of `guidance`
    guidance: Guidance
    assigned: AssignedItem | None
    item: JudgedItem | None
    shown: str
    left: int
    decisions_left: int  # including expected repeats
    seat: JudgeProgress
    is_tired: bool


def page_state(desk: JudgeSession, *, is_free: bool = False) -> PageState:
    """Assign the next item to a judge and read its page; `is_free` as for `take`."""
    assigned = assign_next(desk, is_free=is_free)
    item, shown = None, ""
    if assigned is not None:
        desk = desk if desk.is_counted else recount(desk)
        item = shown_item(desk.connection, assigned.item)
        shown = _order(desk.facts.secret, desk.judge, item, assigned.round)
    return PageState(
        page=assigned.page if assigned is not None else new_page(desk.facts.secret, 0),
        rubric=desk.facts.document,
        guidance=desk.facts.guidance,
        assigned=assigned,
        item=item,
        shown=shown,
        left=0 if assigned is None else items_left(desk.seat.to_go, desk.facts.repeat_share),
        decisions_left=0 if assigned is None else max(1, desk.seat.to_go),
        seat=desk.seat,
        is_tired=desk.seat.is_tired(desk.now),
    )


def shown_item(connection: Connection, number: int) -> JudgedItem:
    """An item without its origin."""
    rows = connection.execute(_ITEM_QUERY, {"number": number}).all()
    item, kind, fields, about, _ = rows[0]
    answers = [ItemAnswer(run="", key="", sample=0, text=text) for *_, text in rows if text is not None]
    return JudgedItem(
        item=item,
        kind=kind,
        task_id="",
        track="",
        answers=answers,
        fields=msgspec.json.decode(fields),
        **msgspec.json.decode(about),
    )


def whole_text(session: Session, project_id: str, judge: str, page: str, place: int) -> str | None:
    """A full text of the item on this judge's page; None if that page has no such text."""
    connection = session.connection()
    facts = project_facts(connection, project_id)
    number = turn_of(facts.secret, page)
    query = select(TURNS.c.judge_id, TURNS.c.project_id, TURNS.c.item_id, TURNS.c.round).where(
        TURNS.c.id == number
    )
    turn = connection.execute(query).first()
    if turn is None or turn.judge_id != judge or turn.project_id != project_id:
        return None
    item = shown_item(connection, turn.item_id)
    texts = texts_of(item, _order(facts.secret, judge, item, turn.round))
    return texts[place][1] if 0 <= place < len(texts) else None


def _order(secret: str, judge: str, item: JudgedItem, round: str) -> str:
    return shown_order(secret, judge, item.item, round) if item.kind == "pair" else ""

"""A project's items with their votes so far, progress by day, and changes after its start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from litestar import get, post
from litestar.response import Redirect
from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_code
from benchwright.errors import UsageError
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.guard import route
from benchwright.web.core.pages import form_fields, page
from benchwright.web.core.policy import OWNER, Refusal, in_project
from benchwright.web.core.site import PageResponse, SiteRequest, site_of
from benchwright.web.core.tables import Project
from benchwright.web.station.judge_session import ENDLESS
from benchwright.web.station.roles import MAKERS, READERS, log, project_of, to_project
from benchwright.web.station.tables import ITEM_ANSWERS, ITEMS, TEXTS, TURNS, VOTES, StationProject

A_PAGE = 50
MOST_DAYS = 60  # of the table of days
MOST_JUDGEMENTS = 100


class ListedItem(NamedTuple):
    """An item with the number of judges who decided it, and who should."""

    place: int
    task: str  # JSON of the task's id
    state: str
    decided: int
    wanted: int | None  # None: all judges, of a gold item


class DayProgress(NamedTuple):
    """Decisions of a day, in milliseconds UTC, and the judges who made them."""

    day_ms: int
    decisions: int
    judges: int


class ItemPage(NamedTuple):
    """One page of a project's items, and the latest days with decisions."""

    items: Sequence[ListedItem]
    days: Sequence[DayProgress]
    number: int
    pages: int
    all: int


def page_of_items(session: Session, project_id: str, number: int) -> ItemPage:
    """Page `number`, or the last page, in the order of the project's files."""
    ours = ITEMS.c.project_id == project_id
    total = session.scalar(select(func.count()).select_from(ITEMS).where(ours)) or 0
    pages = max(1, -(-total // A_PAGE))
    number = min(max(number, 1), pages)
    done = (TURNS.c.item_id == ITEMS.c.id) & (TURNS.c.round == "first") & (TURNS.c.state == "done")
    decided = select(func.count()).select_from(TURNS).where(done).scalar_subquery()
    rows = session.execute(
        select(ITEMS.c.place, ITEMS.c.task_id, ITEMS.c.state, decided, ITEMS.c.wanted)
        .where(ours)
        .order_by(ITEMS.c.place, ITEMS.c.id)
        .offset((number - 1) * A_PAGE)
        .limit(A_PAGE)
    )
    items = [
        ListedItem(place, escaped_code(task), state, count, wanted if wanted < ENDLESS else None)
        for place, task, state, count, wanted in rows
    ]
    return ItemPage(items, _days(session, project_id), number, pages, total)


def _days(session: Session, project_id: str) -> list[DayProgress]:
    """The latest days with decisions in force, newest first. A decision may have several fields."""
    day = VOTES.c.submitted_at // DAY_MS
    rows = session.execute(
        select(day, func.count(VOTES.c.submission.distinct()), func.count(VOTES.c.judge_id.distinct()))
        .where(VOTES.c.project_id == project_id, ~VOTES.c.superseded, ~VOTES.c.withdrawn)
        .group_by(day)
        .order_by(day.desc())
        .limit(MOST_DAYS)
    )
    return [DayProgress(number * DAY_MS, decisions, judges) for number, decisions, judges in rows]


@get("/projects/{project_id:str}/items", opt=route(READERS, query=("page",)))
async def items_page(request: SiteRequest) -> PageResponse:
    """Show the project's items and progress by day."""
    project_id, given = project_of(request), request.query_params.get("page", "1")
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 10 else 1
    listing = await site_of(request).database.read(lambda session: page_of_items(session, project_id, number))
    return page(request, "station_items.html", shown=listing)


@post("/projects/{project_id:str}/judgements", opt=route(MAKERS, "judgements"))
async def change_judgements(request: SiteRequest) -> PageResponse:
    """Change the number of judges who decide each item. Votes stay."""
    text = (await form_fields(request)).get("judgements", "")
    if not (text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= MOST_JUDGEMENTS):
        raise Refusal(422, "Invalid number", f"Judgements per item: 1 to {MOST_JUDGEMENTS}.")
    project_id, number = project_of(request), int(text)

    def change(session: Session) -> None:
        session.get_one(StationProject, project_id).judgements = number
        ordinary = (ITEMS.c.project_id == project_id) & (ITEMS.c.wanted < ENDLESS)
        session.execute(update(ITEMS).where(ordinary).values(wanted=number))
        log(session, request, "project.judgements", text)

    await site_of(request).database.write(change)
    return to_project(request)


@post("/projects/{project_id:str}/delete", opt=route(in_project(OWNER), "name"))
async def delete_project(request: SiteRequest) -> PageResponse:
    """Delete the project with its items and votes. The form repeats its name."""
    project_id, name = project_of(request), (await form_fields(request)).get("name", "")

    def drop(session: Session) -> None:
        found = session.get_one(Project, project_id)
        if found.name != name:
            raise UsageError("the name is not that of the project", hint="repeat the name of the project")
        log(session, request, "project.deleted", name)
        session.delete(found)
        session.flush()
        _drop_unused_texts(session)

    await site_of(request).database.write(drop)
    return Redirect("/judging", status_code=303)


def _drop_unused_texts(session: Session) -> None:
    """Delete texts that no item of any project shows."""
    uses = [select(1).where(column == TEXTS.c.digest) for column in (ITEMS.c.subject, ITEM_ANSWERS.c.text)]
    session.execute(delete(TEXTS).where(*(~each.exists() for each in uses)))


ITEM_ROUTES = [items_page, change_judgements, delete_project]

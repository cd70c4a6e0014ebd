"""Pages on which judges vote and adjudicators decide: one item, one form."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple, cast

from jinja2 import Environment
from litestar import Response, get, post
from litestar.response import Redirect
from markupsafe import Markup, escape
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_code
from benchwright.judges.people.guidance import Guidance
from benchwright.web.core.accounts import projects_of
from benchwright.web.core.guard import route
from benchwright.web.core.pages import form_fields, page
from benchwright.web.core.policy import logged_in, not_found
from benchwright.web.core.site import PageResponse, Site, SiteRequest, site_of, visitor_of
from benchwright.web.station.adjudication import DisputedItem, adjudicate, item_of_token, next_case
from benchwright.web.station.item_view import (
    PageState,
    form_field,
    page_state,
    show_item,
    shown_item,
    texts_of,
    whole_text,
)
from benchwright.web.station.judge_session import JudgeSession, open_session, project_facts, read_guidance
from benchwright.web.station.roles import ADJUDICATORS, JUDGES
from benchwright.web.station.vote_actions import (
    ActionOutcome,
    ActionResult,
    FormInput,
    read_draft,
    report,
    skip,
    store_draft,
    submit,
    undo,
)

MARK = "say-"  # prefix of the item's field names in a form
FRAME_POLICY = "default-src 'none'; sandbox; frame-ancestors 'self'"

_NOTICES = {
    "elsewhere": "This item was opened again later, in another tab or on another device. Your input is still "
    "here: submit it again to use it.",
    "decided": "You have already decided this item on another page. The input of this page was not used.",
    "taken": "Your time for the item expired, and it was given to other judges. Your input is shown below "
    "and was not counted.",
    "nothing": "Nothing to undo.",
    "unknown": "That page has expired. This is your current item.",
}
_DONE = {
    "undo": "Undone. Change your input and submit it again.",
    "skip": "Skipped. Press U to undo.",
    "report": "Reported. The item is hidden until a curator has reviewed it.",
}


class PageNotice(NamedTuple):
    """The result of the last action, and the input of its page."""

    step: str
    ended: ActionResult
    entered: FormInput


@get("/judging", opt=route(logged_in()))
async def my_projects(request: SiteRequest) -> Response[str]:
    """Show the projects in which the visitor has a role."""
    account = visitor_of(request).account_id
    projects = await site_of(request).database.read(lambda session: projects_of(session, account))
    return page(request, "station_projects.html", projects=projects)


@get("/judging/{project_id:str}", opt=route(JUDGES))
async def judge_item(request: SiteRequest) -> Response[str]:
    """Show the judge's current item."""
    site, project_id, judge = _context(request)
    now = site.now()
    scene = await site.database.write(
        lambda session: page_state(open_session(session, project_id, judge, now))
    )
    return _draw(request, scene, None)


@post("/judging/{project_id:str}", status_code=200, opt=route(JUDGES, "page", "step", "comment", "reason"))
async def judge_step(request: SiteRequest) -> Response[Any]:
    """Submit, skip, report or undo; then show the next item, in the same transaction."""
    site, project_id, judge = _context(request)
    form, now = await form_fields(request), site.now()
    entered = form_input(form)
    step = form.get("step", "submit")
    act = _step(step, form, entered)

    def work(session: Session) -> tuple[ActionResult, PageState]:
        ended, desk = act(open_session(session, project_id, judge, now))
        is_free = ended.ending == "kept" and step != "undo"
        return ended, page_state(desk, is_free=is_free)

    ended, scene = await site.database.write(work)
    if request.headers.get("hx-request") != "true" and ended.ending in ("kept", "replayed"):
        return Redirect(f"/judging/{project_id}", status_code=303)
    return _draw(request, scene, PageNotice(step, ended, entered))


@post("/judging/{project_id:str}/draft", status_code=204, opt=route(JUDGES, "page", "comment"))
async def judge_draft(request: SiteRequest) -> None:
    """Store unsubmitted input."""
    site, project_id, judge = _context(request)
    form, now = await form_fields(request), site.now()
    await site.database.write(
        lambda session: store_draft(
            open_session(session, project_id, judge, now), form.get("page", ""), form_input(form)
        )
    )


@get("/judging/{project_id:str}/text/{token:str}/{place:int}", opt=route(JUDGES))
async def judge_text(request: SiteRequest) -> Response[str]:
    """Serve a full text of the page's item, for a sandboxed frame."""
    site, project_id, judge = _context(request)
    token, place = str(request.path_params["token"]), int(request.path_params["place"])
    text = await site.database.read(lambda session: whole_text(session, project_id, judge, token, place))
    if text is None:
        raise not_found()
    return text_frame(text)


def text_frame(text: str) -> Response[str]:
    """A page with an unformatted text, without style or script."""
    body = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" '
        f'content="light dark"><title>Text</title></head><body><pre>{escape(escaped_code(text))}</pre>'
        "</body></html>"
    )
    headers = {"content-security-policy": FRAME_POLICY, "x-frame-options": "SAMEORIGIN"}
    return Response(body, media_type="text/html", headers=headers)


def _context(request: SiteRequest) -> tuple[Site, str, str]:
    return site_of(request), str(request.path_params["project_id"]), visitor_of(request).account_id


def _step(step: str, form: dict[str, str], entered: FormInput) -> Callable[[JudgeSession], ActionOutcome]:
    token = form.get("page", "")
    if step == "skip":
        return lambda desk: skip(desk, token)
    if step == "undo":
        return lambda desk: undo(desk, token)
    if step == "report":
        return lambda desk: report(desk, token, form.get("reason", ""))
    return lambda desk: submit(desk, token, entered)


def form_input(form: dict[str, str]) -> FormInput:
    """The input of a form on the item's fields."""
    values = {name.removeprefix(MARK): text for name, text in form.items() if name.startswith(MARK)}
    return FormInput(values, form.get("comment", "").replace("\r\n", "\n"))


def _draw(request: SiteRequest, scene: PageState, notice: PageNotice | None) -> Response[str]:
    assigned, item = scene.assigned, scene.item
    template = "station_item.html" if request.headers.get("hx-request") == "true" else "station.html"
    stays = notice is not None and notice.ended.ending in ("elsewhere", "incomplete")
    entered = (
        notice.entered if notice is not None and stays else read_draft(assigned.draft if assigned else "")
    )
    missing = notice.ended.missing if notice is not None else ()
    environment = site_of(request).environment
    return page(
        request,
        template,
        token=scene.page,
        item=show_item(item, scene.guidance, scene.shown) if item else None,
        rubric=_rubric_html(environment, scene.rubric),
        blank=None if entered.values or missing else partial(_blank_choices, environment, scene.rubric),
        entered=entered,
        notice=_notice(notice),
        lost=notice.entered if notice is not None and notice.ended.ending in ("taken", "decided") else None,
        missing=missing,
        decided=scene.seat.decided,
        left=scene.left,
        time_left=scene.seat.time_for(scene.decisions_left),
        is_tired=scene.is_tired,
        mark=MARK,
    )


_PARTS = "station_parts.html"


@lru_cache(maxsize=64)
def _rubric_html(environment: Environment, document: str) -> Markup:
    """The rubric as HTML. It is the same for every item, so keeping it reveals nothing about an item."""
    return cast(Markup, _macro(environment, "rubric")(read_guidance(document)))


@lru_cache(maxsize=256)
def _blank_choices(environment: Environment, document: str, name: str) -> Markup:
    """The choices of a field, none selected, by the rubric and the name of the field."""
    field = form_field(name, read_guidance(document))
    return cast(Markup, _macro(environment, "choices")(field, FormInput(), MARK, ()))


def _macro(environment: Environment, name: str) -> Callable[..., Any]:
    """A macro of the station's shared template parts."""
    return cast("Callable[..., Any]", getattr(environment.get_template(_PARTS).module, name))


def _notice(notice: PageNotice | None) -> str:
    if notice is None or notice.ended.ending == "replayed":
        return ""
    if notice.ended.ending == "incomplete":
        return f"Missing or invalid: {', '.join(notice.ended.missing)}."
    return _NOTICES.get(notice.ended.ending) or _DONE.get(notice.step, "")


JUDGING_ROUTES = [my_projects, judge_item, judge_step, judge_draft, judge_text]


@get("/adjudicating/{project_id:str}", opt=route(ADJUDICATORS))
async def case_page(request: SiteRequest) -> PageResponse:
    """Show the next disputed item."""
    return await _case_page(request, "", FormInput())


async def _case_page(request: SiteRequest, notice: str, entered: FormInput) -> PageResponse:
    site, project_id, mine = site_of(request), _project_of(request), visitor_of(request).account_id

    def read(session: Session) -> tuple[DisputedItem | None, Guidance]:
        guidance = project_facts(session.connection(), project_id).guidance
        return next_case(session, project_id, mine), guidance

    case, guidance = await site.database.read(read)
    return page(
        request,
        "station_case.html",
        case=case,
        item=None if case is None else show_item(case.item, guidance),
        guidance=guidance,
        notice=notice,
        entered=entered,
        mark=MARK,
    )


@post("/adjudicating/{project_id:str}", status_code=200, opt=route(ADJUDICATORS, "page", "comment"))
async def decide_case(request: SiteRequest) -> PageResponse:
    """Store the decisions, then show the next item."""
    site, project_id, mine = site_of(request), _project_of(request), visitor_of(request).account_id
    form, now = await form_fields(request), site.now()
    entered, token = form_input(form), form.get("page", "")

    def decide(session: Session) -> ActionResult:
        return adjudicate(session, project_id, mine, token, entered, now)

    ended = await site.database.write(decide)
    if ended.ending == "incomplete":
        return await _case_page(request, f"Missing decisions: {', '.join(ended.missing)}.", entered)
    if ended.ending == "unknown":
        raise not_found()
    return Redirect(f"/adjudicating/{project_id}", status_code=303)


@get("/adjudicating/{project_id:str}/text/{token:str}/{place:int}", opt=route(ADJUDICATORS))
async def case_text(request: SiteRequest) -> PageResponse:
    """Serve a full text of a disputed item."""
    project_id, place = _project_of(request), int(request.path_params["place"])
    token = str(request.path_params["token"])

    def read(session: Session) -> str | None:
        number = item_of_token(session, project_id, token)
        texts = [] if number is None else texts_of(shown_item(session.connection(), number))
        return texts[place][1] if 0 <= place < len(texts) else None

    text = await site_of(request).database.read(read)
    if text is None:
        raise not_found()
    return text_frame(text)


def _project_of(request: SiteRequest) -> str:
    return str(request.path_params["project_id"])


ADJUDICATION_ROUTES = [case_page, decide_case, case_text]

"""Pages of judges: one item, one form, and the actions of the form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from litestar import Response, get, post
from litestar.response import Redirect
from markupsafe import escape
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_code
from benchwright.web.core.accounts import projects_of
from benchwright.web.core.forms import form_of
from benchwright.web.core.guard import route
from benchwright.web.core.pages import page
from benchwright.web.core.policy import logged_in
from benchwright.web.core.refusals import not_found
from benchwright.web.core.site import Site, SiteRequest, site_of, visitor_of
from benchwright.web.station.deciding import (
    Ended,
    Entered,
    Step,
    keep_draft,
    read_draft,
    report,
    skip,
    submit,
)
from benchwright.web.station.desks import Desk, open_desk
from benchwright.web.station.roles import JUDGES
from benchwright.web.station.scenes import Scene, scene_of, whole_text
from benchwright.web.station.showing import show_item
from benchwright.web.station.undoing import undo

MARK = "say-"  # prefix of the item's field names in a form
FRAME_POLICY = "default-src 'none'; sandbox; frame-ancestors 'self'"

_TOLD = {
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


class Told(NamedTuple):
    """The result of the last action, and the input of its page."""

    step: str
    ended: Ended
    entered: Entered


@get("/judging", opt=route(logged_in()))
async def my_projects(request: SiteRequest) -> Response[str]:
    """Show the projects in which the visitor has a role."""
    account = visitor_of(request).account_id
    projects = await site_of(request).database.read(lambda session: projects_of(session, account))
    return page(request, "station_projects.html", projects=projects)


@get("/judging/{project_id:str}", opt=route(JUDGES))
async def judge_item(request: SiteRequest) -> Response[str]:
    """Show the judge's current item."""
    site, project_id, judge = _asked(request)
    now = site.now()
    scene = await site.database.write(lambda session: scene_of(open_desk(session, project_id, judge, now)))
    return _draw(request, scene, None)


@post("/judging/{project_id:str}", status_code=200, opt=route(JUDGES, "page", "step", "comment", "reason"))
async def judge_step(request: SiteRequest) -> Response[Any]:
    """Submit, skip, report or undo; then show the next item, in the same transaction."""
    site, project_id, judge = _asked(request)
    form, now = await form_of(request), site.now()
    entered = entered_in(form)
    step = form.get("step", "submit")
    act = _step(step, form, entered)

    def work(session: Session) -> tuple[Ended, Scene]:
        ended, desk = act(open_desk(session, project_id, judge, now))
        is_free = ended.ending == "kept" and step != "undo"
        return ended, scene_of(desk, is_free=is_free)

    ended, scene = await site.database.write(work)
    if request.headers.get("hx-request") != "true" and ended.ending in ("kept", "replayed"):
        return Redirect(f"/judging/{project_id}", status_code=303)
    return _draw(request, scene, Told(step, ended, entered))


@post("/judging/{project_id:str}/draft", status_code=204, opt=route(JUDGES, "page", "comment"))
async def judge_draft(request: SiteRequest) -> None:
    """Store unsubmitted input."""
    site, project_id, judge = _asked(request)
    form, now = await form_of(request), site.now()
    await site.database.write(
        lambda session: keep_draft(
            open_desk(session, project_id, judge, now), form.get("page", ""), entered_in(form)
        )
    )


@get("/judging/{project_id:str}/text/{token:str}/{place:int}", opt=route(JUDGES))
async def judge_text(request: SiteRequest) -> Response[str]:
    """Serve a full text of the page's item, for a sandboxed frame."""
    site, project_id, judge = _asked(request)
    token, place = str(request.path_params["token"]), int(request.path_params["place"])
    text = await site.database.read(lambda session: whole_text(session, project_id, judge, token, place))
    if text is None:
        raise not_found()
    return framed(text)


def framed(text: str) -> Response[str]:
    """A page with an unformatted text, without style or script."""
    body = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" '
        f'content="light dark"><title>Text</title></head><body><pre>{escape(escaped_code(text))}</pre>'
        "</body></html>"
    )
    headers = {"content-security-policy": FRAME_POLICY, "x-frame-options": "SAMEORIGIN"}
    return Response(body, media_type="text/html", headers=headers)


def _asked(request: SiteRequest) -> tuple[Site, str, str]:
    return site_of(request), str(request.path_params["project_id"]), visitor_of(request).account_id


def _step(step: str, form: dict[str, str], entered: Entered) -> Callable[[Desk], Step]:
    token = form.get("page", "")
    if step == "skip":
        return lambda desk: skip(desk, token)
    if step == "undo":
        return lambda desk: undo(desk, token)
    if step == "report":
        return lambda desk: report(desk, token, form.get("reason", ""))
    return lambda desk: submit(desk, token, entered)


def entered_in(form: dict[str, str]) -> Entered:
    """The input of a form on the item's fields."""
    values = {name.removeprefix(MARK): text for name, text in form.items() if name.startswith(MARK)}
    return Entered(values, form.get("comment", "").replace("\r\n", "\n"))


def _draw(request: SiteRequest, scene: Scene, told: Told | None) -> Response[str]:
    held, item = scene.held, scene.item
    template = "station_item.html" if request.headers.get("hx-request") == "true" else "station.html"
    stays = told is not None and told.ended.ending in ("elsewhere", "incomplete")
    entered = told.entered if told is not None and stays else read_draft(held.draft if held else "")
    return page(
        request,
        template,
        token=scene.page,
        item=show_item(item, scene.guidance, scene.shown) if item else None,
        guidance=scene.guidance,
        entered=entered,
        notice=_notice(told),
        lost=told.entered if told is not None and told.ended.ending in ("taken", "decided") else None,
        missing=told.ended.missing if told is not None else (),
        decided=scene.seat.decided,
        left=scene.left,
        time_left=scene.seat.time_for(scene.decisions_left),
        is_tired=scene.is_tired,
        mark=MARK,
    )


def _notice(told: Told | None) -> str:
    if told is None or told.ended.ending == "replayed":
        return ""
    if told.ended.ending == "incomplete":
        return f"Missing or invalid: {', '.join(told.ended.missing)}."
    return _TOLD.get(told.ended.ending) or _DONE.get(told.step, "")


JUDGING_ROUTES = [my_projects, judge_item, judge_step, judge_draft, judge_text]

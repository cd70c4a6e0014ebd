"""The view as an application: routes, static files, and how it starts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from litestar import Litestar

from benchwright.display.escape import escaped_name
from benchwright.display.html import theme_variables
from benchwright.display.palette import GRADED
from benchwright.errors import UsageError
from benchwright.web.core.read_only import make_read_only_application
from benchwright.web.core.serving import (
    LOOPBACK,
    ListenOptions,
    address_of_socket,
    open_socket,
    serve,
    served_hosts,
)
from benchwright.web.core.site import LOOPBACK_HOSTS, SiteSettings
from benchwright.web.view.answer_packer import AnswerPacker
from benchwright.web.view.board import RunBoard
from benchwright.web.view.pages import VIEW_ROUTES, ViewParts
from benchwright.web.view.shared_streams import SharedStreams

THEME = "graded_theme.css"  # the colours of graded outcomes
MAX_BODY = 1 << 10  # bytes of a request: none has a body

__all__ = ["ListenOptions", "make_view", "serve_view"]


def make_view_parts(board: RunBoard) -> ViewParts:
    """The parts of an application with live pages, for `app.state.view`."""
    return ViewParts(board, AnswerPacker(), SharedStreams(asyncio.Event()))


def graded_theme() -> dict[str, str]:
    """The style sheet with the colours of graded outcomes, by name."""
    return {THEME: theme_variables(GRADED)}


def make_view(top: Path, hosts: list[str] | tuple[str, ...] = LOOPBACK_HOSTS) -> Litestar:
    """The application that shows the runs below a folder."""
    settings = SiteSettings(
        title="Benchwright runs",
        max_body=MAX_BODY,
        templates=("benchwright.web.view", "benchwright.report"),
        assets=("benchwright.report", "benchwright.web.view"),
        hosts=hosts,
    )
    application = make_read_only_application(VIEW_ROUTES, settings, graded_theme())
    application.state.view = make_view_parts(RunBoard(top))
    return application


def serve_view(top: Path, listening: ListenOptions, ready: Callable[[str], None]) -> None:
    """Serve the runs below a folder until a signal. `ready` is called with the address.

    Raises UsageError for an address that other machines can reach, and for a port that is taken.
    """
    if listening.host not in LOOPBACK:
        raise UsageError(
            f"{escaped_name(listening.host)} may be reached from other machines, and the view has no login",
            hint="--host 127.0.0.1; from another machine: ssh -L 8080:127.0.0.1:PORT THIS_MACHINE",
        )
    opened = open_socket(listening)
    application = make_view(top, served_hosts(listening, opened))
    parts: ViewParts = application.state.view
    address = address_of_socket(listening, opened)
    serve(application, listening, opened, lambda: ready(address), ending=parts.streams.closing.set)

"""`benchwright serve` as an application: routes, tables, templates, and how it starts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from litestar import Litestar
from litestar.handlers import HTTPRouteHandler

from benchwright.web.core.application import make_application
from benchwright.web.core.child_process import ChildProcess
from benchwright.web.core.database import Database, open_database
from benchwright.web.core.policy import Policy, public
from benchwright.web.core.serving import (
    ListenOptions,
    address_of_socket,
    check_listen_options,
    open_socket,
    serve,
    served_hosts,
)
from benchwright.web.core.site import LOOPBACK_HOSTS, SiteSettings
from benchwright.web.core.tables import SchemaPart
from benchwright.web.serve.figure_cache import FigureCache
from benchwright.web.serve.routes import HEALTH, METRICS, READING, page_routes
from benchwright.web.serve.run_index import COMMAND, READ_S, RunIndex
from benchwright.web.serve.serve_parts import ServeParts
from benchwright.web.serve.tables import PARTS
from benchwright.web.view.application import graded_theme, make_view_parts
from benchwright.web.view.pages import ViewParts

# For one person on this machine: no accounts.
PERSONAL: Mapping[str, Policy] = {READING: public(), HEALTH: public(), METRICS: public()}

RANKING_IDLE_S = 600.0  # the process that ranks keeps the differences of pairs

__all__ = ["PARTS", "PERSONAL", "ListenOptions", "ServeExtension", "make_serve_application", "serve_folders"]


class ServeExtension(NamedTuple):
    """Routes and tables of another package, and the policies of the pages here by audience."""

    routes: Sequence[HTTPRouteHandler] = ()
    parts: Sequence[SchemaPart] = ()
    policies: Mapping[str, Policy] = PERSONAL
    settings: Callable[[SiteSettings], SiteSettings] = lambda settings: settings


def serve_settings(*, secure: bool = False, hosts: Sequence[str] = LOOPBACK_HOSTS) -> SiteSettings:
    """The settings of the site."""
    return SiteSettings(
        title="Benchwright",
        secure=secure,
        hosts=hosts,
        templates=("benchwright.web.serve", "benchwright.web.view", "benchwright.report"),
        assets=("benchwright.report", "benchwright.web.view", "benchwright.web.serve"),
        home="/",
    )


def make_serve_application(
    folders: Sequence[Path],
    database: Database,
    settings: SiteSettings | None = None,
    extension: ServeExtension = ServeExtension(),  # noqa: B008 (a constant)
) -> Litestar:
    """The application that serves the runs in these folders. Its parts are at `app.state.serve`.

    The database has the tables of PARTS and of the extension.
    """
    settings = extension.settings(settings or serve_settings())
    routes = [*page_routes(extension.policies), *extension.routes]
    application = make_application(routes, database, settings, texts=graded_theme())
    index = RunIndex(folders, database)
    ranking = ChildProcess(COMMAND, timeout_s=READ_S, idle_s=RANKING_IDLE_S)
    figures = FigureCache(index, database, ranking, settings.clock)
    application.state.view = make_view_parts(index.board)
    application.state.serve = ServeParts(index, figures, OrderedDict())
    return application


def serve_folders(
    folders: Sequence[Path],
    place: str,
    listening: ListenOptions,
    ready: Callable[[str], None],
    extension: ServeExtension = ServeExtension(),  # noqa: B008 (a constant)
    *,
    is_public: bool = False,
) -> None:
    """Serve the runs in these folders until a signal. `ready` is called with the address."""
    check_listen_options(listening, is_public=is_public)
    opened = open_socket(listening)
    database = open_database(place, (*PARTS, *extension.parts))
    try:
        settings = serve_settings(secure=listening.secure, hosts=served_hosts(listening, opened))
        application = make_serve_application(folders, database, settings, extension)
        view: ViewParts = application.state.view
        address = address_of_socket(listening, opened)
        serve(application, listening, opened, lambda: ready(address), ending=view.streams.closing.set)
    finally:
        database.close()

"""The station as an application: routes, tables, templates, static files, roles, and how it starts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from litestar.handlers import HTTPRouteHandler

from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.judges.people.records import Vote
from benchwright.running.run_data import data_by_hash, open_run
from benchwright.web.core.application import make_application
from benchwright.web.core.database import Database, open_database
from benchwright.web.core.invitations import setup_token
from benchwright.web.core.serving import (
    ListenOptions,
    address_of_socket,
    check_listen_options,
    open_socket,
    serve,
    served_hosts,
)
from benchwright.web.core.site import LOOPBACK_HOSTS, SiteSettings
from benchwright.web.core.tables import CORE, SchemaPart
from benchwright.web.station.agreement_pages import AGREEMENT_ROUTES
from benchwright.web.station.judging_pages import ADJUDICATION_ROUTES, JUDGING_ROUTES
from benchwright.web.station.project_items import ITEM_ROUTES
from benchwright.web.station.project_pages import MEMBER_ROUTES, PROJECT_ROUTES, REPORT_ROUTES
from benchwright.web.station.project_setup import (
    CreatedProject,
    ProjectOptions,
    ReadyItems,
    check_options,
    find_or_create_project,
    project_runs,
)
from benchwright.web.station.roles import PROJECTS
from benchwright.web.station.vote_records import erase_votes, find_project, project_names, votes_of

PARTS = (CORE, SchemaPart("benchwright.web.station.migrations", "station_0004"))
ROUTES: tuple[HTTPRouteHandler, ...] = (
    *JUDGING_ROUTES,
    *ADJUDICATION_ROUTES,
    *PROJECT_ROUTES,
    *REPORT_ROUTES,
    *ITEM_ROUTES,
    *MEMBER_ROUTES,
    *AGREEMENT_ROUTES,
)


def station_settings(*, secure: bool = False, hosts: Sequence[str] = LOOPBACK_HOSTS) -> SiteSettings:
    """The settings of a station. Scripts may create one trusted-types policy, which htmx needs."""
    return SiteSettings(
        title="Judging station",
        secure=secure,
        hosts=hosts,
        templates=("benchwright.web.station",),
        assets=("benchwright.report", "benchwright.web.station"),
        trusted_types="default",
        home="/judging",
        projects=PROJECTS,
        erasers=(erase_votes,),
    )


ProgressCallback = Callable[
    [str, str | None, CreatedProject | None], None
]  # the address, the first token, the project

__all__ = [
    "CreatedProject",
    "ListenOptions",
    "ProgressCallback",
    "ProjectOptions",
    "ReadyItems",
    "make_item_project",
    "serve_runs",
    "votes_in_file",
]


def serve_runs(
    runs: Sequence[str],
    data: Sequence[str],
    place: str,
    wishes: ProjectOptions,
    listening: ListenOptions,
    *,
    is_public: bool,
    tell: ProgressCallback,
) -> None:
    """Serve the project of these runs until a signal. Raises as its parts do."""
    check_listen_options(listening, is_public=is_public)
    check_options(wishes)
    given = data_by_hash(data)
    source = project_runs([open_run(run) for run in runs], wishes.kind, given) if runs else None
    database = open_database(place, PARTS)
    try:
        settings = station_settings(secure=listening.secure)
        now = settings.clock()
        project = None
        if source is not None:
            found = source
            project = database.write_now(lambda session: find_or_create_project(session, found, wishes, now))
        _serve(database, listening, project, tell)
    finally:
        database.close()


def make_item_project(place: Path, source: ReadyItems, wishes: ProjectOptions) -> CreatedProject:
    """Create the project of these items in a database, or find it. Raises as `find_or_create_project`."""
    check_options(wishes)
    database = open_database(place, PARTS)
    try:
        now = station_settings().clock()
        return database.write_now(lambda session: find_or_create_project(session, source, wishes, now))
    finally:
        database.close()


def votes_in_file(place: Path, project: str) -> list[Vote]:
    """The current votes of a project in a database, by its name. Raises UsageError for an unknown project."""
    database = open_database(place, PARTS)
    try:
        key = database.read_now(lambda session: find_project(session, project))
        if key is None:
            names = ", ".join(database.read_now(project_names)) or "none"
            raise UsageError(f"{escaped_path(place)}: no project {project!r}", hint=f"one of: {names}")
        found = key
        return database.read_now(lambda session: list(votes_of(session, found)))
    finally:
        database.close()


def _serve(
    database: Database, listening: ListenOptions, project: CreatedProject | None, tell: ProgressCallback
) -> None:
    opened = open_socket(listening)
    settings = station_settings(secure=listening.secure, hosts=served_hosts(listening, opened))
    application = make_application(ROUTES, database, settings)
    address = address_of_socket(listening, opened)
    setup = database.write_now(setup_token)
    serve(application, listening, opened, lambda: tell(address, setup, project))

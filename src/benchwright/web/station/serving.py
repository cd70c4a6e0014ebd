"""Start a station: database, project, application, first link."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchwright.running.reading import open_run
from benchwright.running.run_data import given_data
from benchwright.web.core.application import make_application
from benchwright.web.core.database import Database, open_database
from benchwright.web.core.inviting import setup_token
from benchwright.web.core.serving import (
    Listening,
    address_of_socket,
    check_listening,
    open_socket,
    serve,
    served_hosts,
)
from benchwright.web.station.making import MadeProject, Wishes, check_wishes, ensure_project, source_of
from benchwright.web.station.routes import PARTS, ROUTES, station_settings

Tell = Callable[[str, str | None, MadeProject | None], None]  # the address, the first token, the project

__all__ = ["Listening", "MadeProject", "Tell", "Wishes", "serve_runs"]


def serve_runs(
    runs: Sequence[str],
    data: Sequence[str],
    place: str,
    wishes: Wishes,
    listening: Listening,
    *,
    is_public: bool,
    tell: Tell,
) -> None:
    """Serve the project of these runs until a signal. Raises as its parts do."""
    check_listening(listening, is_public=is_public)
    check_wishes(wishes)
    given = given_data(data)
    source = source_of([open_run(run) for run in runs], wishes.kind, given) if runs else None
    database = open_database(place, PARTS)
    try:
        settings = station_settings(secure=listening.secure)
        now = settings.clock()
        made = None
        if source is not None:
            found = source
            made = database.write_now(lambda session: ensure_project(session, found, wishes, now))
        _serve(database, listening, made, tell)
    finally:
        database.close()


def _serve(database: Database, listening: Listening, made: MadeProject | None, tell: Tell) -> None:
    opened = open_socket(listening)
    settings = station_settings(secure=listening.secure, hosts=served_hosts(listening, opened))
    application = make_application(ROUTES, database, settings)
    address = address_of_socket(listening, opened)
    setup = database.write_now(setup_token)
    serve(application, listening, opened, lambda: tell(address, setup, made))

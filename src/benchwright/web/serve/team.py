"""A server for a team: accounts, spaces, and pushed runs that a separate process judges again."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from benchwright.executing.executors import LOCAL
from benchwright.web.core.database import open_database
from benchwright.web.core.invitations import setup_token
from benchwright.web.core.oidc import OidcClient, OidcSettings, check_oidc
from benchwright.web.core.policy import public, site_admin
from benchwright.web.core.serving import (
    ListenOptions,
    address_of_socket,
    check_listen_options,
    open_socket,
    serve,
    served_hosts,
)
from benchwright.web.core.site import SiteSettings
from benchwright.web.serve.application import ServeExtension, make_serve_application, serve_settings
from benchwright.web.serve.routes import HEALTH, METRICS, READING
from benchwright.web.serve.tables import PARTS
from benchwright.web.submissions.accepted_data import DataCatalog
from benchwright.web.submissions.folders import SubmissionFolders
from benchwright.web.submissions.intake import make_submission_parts
from benchwright.web.submissions.judging_process import (
    SUBMISSIONS,
    JudgeArguments,
    JudgingSetup,
    judge_command,
    judge_until,
)
from benchwright.web.submissions.roles import SPACES
from benchwright.web.submissions.routes import SUBMISSION_ROUTES
from benchwright.web.submissions.space_pages import SPACE_PAGES
from benchwright.web.submissions.space_routes import SPACE_ROUTES, erase_submissions

RESTART_S = 5.0  # before a judging process that ended is started again


class TeamOptions(NamedTuple):
    """The file of rules, the folder of submissions, and where answers are judged."""

    rules: Path
    state: Path
    on: str = LOCAL
    workers: int | None = None
    judges: bool = True  # whether this server starts a judging process
    is_public: bool = False  # whether other machines may connect; needs TLS
    oidc: OidcSettings | None = None  # the provider at which people may log in


def team_settings(settings: SiteSettings) -> SiteSettings:
    """The settings with the roles of spaces."""
    return settings._replace(
        projects=SPACES,
        templates=("benchwright.web.submissions", *settings.templates),
        erasers=(*settings.erasers, erase_submissions),
        links=(("/spaces", "Spaces"),),
    )


TEAM = ServeExtension(
    routes=(*SUBMISSION_ROUTES, *SPACE_ROUTES, *SPACE_PAGES),
    parts=(SUBMISSIONS,),
    policies={
        READING: public(),  # pages show the given folders, and verified runs of public spaces
        HEALTH: public(),
        METRICS: site_admin(scope="read"),
    },
    settings=team_settings,
)


def serve_team(
    folders: Sequence[Path],
    place: str,
    listening: ListenOptions,
    ready: Callable[[str, str | None], None],
    team: TeamOptions,
) -> None:
    """Serve runs and take submissions until a signal.

    `ready` is called with the address and the token of the first account, None if there is one.
    """
    check_listen_options(listening, is_public=team.is_public)
    if team.oidc is not None:
        check_oidc(team.oidc)
    folders_of_submissions = SubmissionFolders(team.state)
    parts = make_submission_parts(folders_of_submissions, team.rules)
    opened = open_socket(listening)
    database = open_database(place, (*PARTS, SUBMISSIONS))
    try:
        database.read_now(folders_of_submissions.clear)
        settings = serve_settings(secure=listening.secure, hosts=served_hosts(listening, opened))
        if team.oidc is not None:
            settings = settings._replace(oidc=OidcClient(team.oidc, clock=settings.clock))
        application = make_serve_application(
            [*folders, folders_of_submissions.verified], database, settings, TEAM
        )
        application.state.submissions = parts
        address, setup = address_of_socket(listening, opened), database.write_now(setup_token)
        closing = application.state.view.streams.closing
        with _judging(place, team) if team.judges else _nothing():
            serve(application, listening, opened, lambda: ready(address, setup), ending=closing.set)
    finally:
        database.close()


def judge_only(place: str, team: TeamOptions, ended: threading.Event) -> None:
    """Judge claims of a server in this process until the event is set."""
    database = open_database(place, is_sole=False)
    try:
        catalog, folders = DataCatalog.of_file(team.rules), SubmissionFolders(team.state)
        judge_until(JudgingSetup(database, catalog, folders, team.on, team.workers), ended)
    finally:
        database.close()


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _judging(place: str, team: TeamOptions) -> Iterator[None]:
    """Run the judging process, and start it again if it ends. It ends with this process, by its stdin."""
    arguments = JudgeArguments(
        rules=str(team.rules.absolute()), state=str(team.state.absolute()), on=team.on, workers=team.workers
    )
    command, stopped = judge_command(arguments), threading.Event()
    environment = {**os.environ, "DATABASE_URL": place}

    def keep() -> None:
        while not stopped.is_set():
            child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                env=environment,
                start_new_session=True,  # Ctrl-C must not reach it while it imports; the end of stdin does
            )
            while child.poll() is None and not stopped.wait(0.2):
                pass
            assert child.stdin is not None
            child.stdin.close()
            child.wait()
            stopped.wait(RESTART_S)

    thread = threading.Thread(target=keep, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()

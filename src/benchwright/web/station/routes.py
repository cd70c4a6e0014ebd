"""The station as an application: its routes, tables, templates, static files, roles."""

from __future__ import annotations

from collections.abc import Sequence

from litestar.handlers import HTTPRouteHandler

from benchwright.web.core.migrating import CORE, SchemaPart
from benchwright.web.core.site import LOOPBACK_HOSTS, SiteSettings
from benchwright.web.station.adjudication_pages import ADJUDICATION_ROUTES
from benchwright.web.station.agreement_pages import AGREEMENT_ROUTES
from benchwright.web.station.judging_pages import JUDGING_ROUTES
from benchwright.web.station.left_out import erase_votes
from benchwright.web.station.member_pages import MEMBER_ROUTES
from benchwright.web.station.owner_pages import PROJECT_ROUTES
from benchwright.web.station.report_pages import REPORT_ROUTES
from benchwright.web.station.roles import PROJECTS

PARTS = (CORE, SchemaPart("benchwright.web.station.migrations", "station_0004"))
ROUTES: tuple[HTTPRouteHandler, ...] = (
    *JUDGING_ROUTES,
    *ADJUDICATION_ROUTES,
    *PROJECT_ROUTES,
    *REPORT_ROUTES,
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

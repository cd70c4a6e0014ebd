"""All of the station for an application: its routes, its tables, where its templates and files are."""

from __future__ import annotations

from collections.abc import Sequence

from litestar.handlers import HTTPRouteHandler

from benchwright.web.core.migrating import CORE, SchemaPart
from benchwright.web.core.site import LOOPBACK_HOSTS, SiteSettings
from benchwright.web.station import (
    adjudication_pages,
    agreement_pages,
    judging_pages,
    member_pages,
    owner_pages,
    report_pages,
)
from benchwright.web.station.left_out import erase_votes
from benchwright.web.station.roles import PROJECTS

PARTS = (CORE, SchemaPart("benchwright.web.station.migrations", "station_0004"))
ROUTES: tuple[HTTPRouteHandler, ...] = (
    *judging_pages.ROUTES,
    *adjudication_pages.ROUTES,
    *owner_pages.ROUTES,
    *report_pages.ROUTES,
    *member_pages.ROUTES,
    *agreement_pages.ROUTES,
)


def station_settings(*, secure: bool = False, hosts: Sequence[str] = LOOPBACK_HOSTS) -> SiteSettings:
    """How a station is served. Scripts may make one policy of trusted types, for what htmx draws."""
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

"""What every route of an application shares: its database, its clock, its secret, how it draws pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jinja2 import Environment
from litestar import Request, Response
from litestar.connection import ASGIConnection
from sqlalchemy.orm import Session

from benchwright.web.core.clock import Clock, SteadyClock
from benchwright.web.core.database import Database
from benchwright.web.core.erasure import Erasure
from benchwright.web.core.passwords import Passwords
from benchwright.web.core.policy import ProjectRules, ProjectView, Who
from benchwright.web.core.styling import AssetTable
from benchwright.web.core.throttle import Throttle

MAX_BODY = 1 << 20  # bytes of a request
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "[::1]")

Connection = ASGIConnection[Any, Any, Any, Any]
SiteRequest = Request[Any, Any, Any]  # the argument of a route
PageResponse = Response[Any]  # the result of a route


class SiteSettings(NamedTuple):
    """How a site is served."""

    title: str = "Benchwright"
    secure: bool = False  # clients reach it by TLS, here or at the proxy before it
    max_body: int = MAX_BODY
    clock: Clock = SteadyClock()
    templates: Sequence[str] = ()  # packages with a folder `templates`, searched before the core's
    assets: Sequence[str] = ()  # packages with a folder `assets`: its .css and .js are served
    trusted_types: str = "'none'"  # of the Content-Security-Policy: names of policies that scripts may make
    home: str = "/account"  # where a login leads
    erasers: Sequence[Callable[[Session, Erasure], None]] = ()  # of other parts, when a person is deleted
    hosts: Sequence[str] = LOOPBACK_HOSTS  # accepted values of the Host header
    projects: ProjectRules = ProjectRules()  # the roles and states of the application's projects


class Site(NamedTuple):
    """The parts of a running application, at `app.state.site`."""

    database: Database
    settings: SiteSettings
    secret: str  # of this database: keys what is shown in place of ids
    environment: Environment
    assets: AssetTable
    passwords: Passwords
    throttle: Throttle

    def now(self) -> int:
        """Milliseconds since 1970; never runs backwards."""
        return self.settings.clock()


class Visitor(NamedTuple):
    """Who makes this request, in which project: at `request.user`, put there by the guard."""

    who: Who
    project: ProjectView | None = None
    secret: str = ""  # of the session's cookie, or of the one that stands for it before a login

    @property
    def account_id(self) -> str:
        """The account of a route whose policy asks for one."""
        assert self.who.account_id is not None
        return self.who.account_id


def site_of(connection: Connection) -> Site:
    """The site that serves this request."""
    site: Site = connection.app.state.site
    return site


def visitor_of(connection: Connection) -> Visitor:
    """Who makes this request."""
    visitor: Visitor = connection.scope.get("user") or Visitor(Who())
    return visitor


def address_of(connection: Connection) -> str:
    """The client's address, as the trusted proxy said it where there is one."""
    return connection.client.host if connection.client else ""


def path_of(connection: Connection) -> str:
    """The path that is asked for. Not litestar's `url`: that fails for a Host header with a wrong port."""
    return str(connection.scope["path"])


def own_address(connection: Connection) -> str:
    """Scheme and host by which this visitor came, for links that are sent to others. The host is one of
    `SiteSettings.hosts`: no other request reaches a route."""
    return str(connection.base_url).rstrip("/")


def named(connection: Connection, name: str) -> str:
    """A part of the path by the name that the route gives it."""
    return str(connection.path_params[name])

"""What all routes of an application share: database, clock, secret, templates."""

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
    """The settings of a site."""

    title: str = "Benchwright"
    secure: bool = False  # clients use TLS, here or at the proxy
    max_body: int = MAX_BODY
    clock: Clock = SteadyClock()
    templates: Sequence[str] = ()  # packages with a folder `templates`, searched before core's
    assets: Sequence[str] = ()  # packages with a folder `assets`; .css and .js are served
    trusted_types: str = "'none'"  # of the Content-Security-Policy: policies that scripts may create
    home: str = "/account"  # the page after a login
    erasers: Sequence[Callable[[Session, Erasure], None]] = ()  # called when a person is deleted
    hosts: Sequence[str] = LOOPBACK_HOSTS  # accepted values of the Host header
    projects: ProjectRules = ProjectRules()  # the roles and states of the application's projects


class Site(NamedTuple):
    """The parts of a running application, at `app.state.site`."""

    database: Database
    settings: SiteSettings
    secret: str  # of this database: keys public identifiers
    environment: Environment
    assets: AssetTable
    passwords: Passwords
    throttle: Throttle

    def now(self) -> int:
        """Milliseconds since 1970; never decreases."""
        return self.settings.clock()


class Visitor(NamedTuple):
    """The sender of a request and the project of its path: at `request.user`, set by the guard."""

    who: Who
    project: ProjectView | None = None
    secret: str = ""  # of the session cookie, or of the visitor's cookie before a login

    @property
    def account_id(self) -> str:
        """The account, on routes whose policy requires one."""
        assert self.who.account_id is not None
        return self.who.account_id


def site_of(connection: Connection) -> Site:
    """The site that serves this request."""
    site: Site = connection.app.state.site
    return site


def visitor_of(connection: Connection) -> Visitor:
    """The visitor of this request."""
    visitor: Visitor = connection.scope.get("user") or Visitor(Who())
    return visitor


def address_of(connection: Connection) -> str:
    """The client's address; behind a trusted proxy, the one that it reports."""
    return connection.client.host if connection.client else ""


def path_of(connection: Connection) -> str:
    """The requested path. Litestar's `url` fails for a Host header with an invalid port."""
    return str(connection.scope["path"])


def own_address(connection: Connection) -> str:
    """Scheme and host that the visitor uses, for links. The guard admits only `SiteSettings.hosts`."""
    return str(connection.base_url).rstrip("/")


def named(connection: Connection, name: str) -> str:
    """A parameter of the path."""
    return str(connection.path_params[name])

"""The parts of a running site that all routes share, and its static files.

A static file has an address made from its content, so a browser may keep it for ever.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from types import MappingProxyType
from typing import Any, NamedTuple

from jinja2 import Environment
from litestar import Request, Response
from litestar.connection import ASGIConnection
from sqlalchemy.orm import Session

from benchwright.display.html import page_style
from benchwright.web.core.accounts import Erasure
from benchwright.web.core.authentication import Passwords, Throttle
from benchwright.web.core.clock import Clock, MonotonicClock
from benchwright.web.core.database import Database
from benchwright.web.core.oidc import OidcClient
from benchwright.web.core.policy import Principal, ProjectRules, ProjectView

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
    clock: Clock = MonotonicClock()
    templates: Sequence[str] = ()  # packages with a folder `templates`, searched before core's
    assets: Sequence[str] = ()  # packages with a folder `assets`; .css and .js are served
    trusted_types: str = "'none'"  # of the Content-Security-Policy: policies that scripts may create
    home: str = "/account"  # the page after a login
    erasers: Sequence[Callable[[Session, Erasure], None]] = ()  # called when a person is deleted
    hosts: Sequence[str] = LOOPBACK_HOSTS  # accepted values of the Host header
    projects: ProjectRules = ProjectRules()  # the roles and states of the application's projects
    oidc: OidcClient | None = None  # the provider at which people may log in
    links: Sequence[
        tuple[str, str]
    ] = ()  # addresses and words, in the head of each page for those who log in


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

    who: Principal
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
    visitor: Visitor = connection.scope.get("user") or Visitor(Principal())
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


def path_parameter(connection: Connection, name: str) -> str:
    """A parameter of the path."""
    return str(connection.path_params[name])


TYPES = {".css": "text/css", ".js": "text/javascript"}
OWN = "benchwright.web.core"


class AssetTable:
    """All files that may be served, by address. Built at start-up."""

    def __init__(self, packages: tuple[str, ...], texts: Mapping[str, str] = MappingProxyType({})) -> None:
        """Read the files of these packages; `texts` are further files by name."""
        texts = {"site.css": page_style() + _read(OWN, "site.css"), **texts}
        for package in packages:
            for entry in sorted((files(package) / "assets").iterdir(), key=lambda each: each.name):
                if entry.name.endswith(tuple(TYPES)):
                    texts[entry.name] = entry.read_text(encoding="utf-8")
        self._addresses = {name: f"/assets/{_digest(text)}-{name}" for name, text in texts.items()}
        self._bodies = {self._addresses[name]: text.encode() for name, text in texts.items()}

    def address(self, name: str) -> str:
        """The address of a file; it changes with the content. Raises KeyError for an unknown file."""
        return self._addresses[name]

    def body(self, address: str) -> bytes | None:
        """The file at this address; None if there is none."""
        return self._bodies.get(address)


def _read(package: str, name: str) -> str:
    return (files(package) / "assets" / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]

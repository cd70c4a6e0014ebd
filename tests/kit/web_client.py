"""An application without a socket, and browsers that visit it: they keep cookies, and forms include their
token."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import httpx
import jinja2
from argon2 import PasswordHasher
from litestar import Litestar

from benchwright.web.core.accounts import make_account
from benchwright.web.core.application import initial_state, make_application
from benchwright.web.core.authentication import Passwords, Throttle, begin_session
from benchwright.web.core.database import Database
from benchwright.web.core.policy import EntryRole, ProjectRules
from benchwright.web.core.secrets import site_secret
from benchwright.web.core.site import Site, SiteSettings

T = TypeVar("T")
_TOKEN = re.compile(r'name="csrf" value="([^"]*)"')
START_MS = 1_700_000_000_000
PROJECTS = ProjectRules(  # of an application without a station
    roles=("owner", "curator", "judge", "adjudicator", "viewer"),
    states={"draft": "a draft", "open": "open", "closed": "closed"},
    seen_by={"draft": frozenset({"owner", "curator"})},
    entry_roles={"judge": EntryRole("judges are invited", "invite another account")},
)


class SetClock:
    """A clock that the test sets."""

    def __init__(self, now: int = START_MS) -> None:
        self.now = now

    def __call__(self) -> int:
        return self.now


class CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates, shared by the applications of this process."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], bytes] = {}

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Fill the bucket; it stays empty if the source has changed."""
        if kept := self._kept.get((bucket.key, bucket.checksum)):
            bucket.bytecode_from_string(kept)

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Store the compiled code."""
        self._kept[bucket.key, bucket.checksum] = bucket.bytecode_to_string()


TEMPLATES = CompiledTemplates()


class FreeApplications:
    """Applications whose tests have ended. Creating one takes longer than most tests, so the next test reuses
    it.

    Only applications with equal routes and settings are reused; database, clock, and the counts of attempts
    are those of each test.
    """

    def __init__(self) -> None:
        self._free: list[tuple[Sequence[Any], SiteSettings, Litestar]] = []

    def take(self, routes: Sequence[Any], database: Database, settings: SiteSettings) -> Litestar:
        """Return an application that no other test uses."""
        for place, (its_routes, its_settings, application) in enumerate(self._free):
            if its_routes == routes and its_settings._replace(clock=settings.clock) == settings:
                del self._free[place]
                secret, site = database.write_now(site_secret), application.state.site
                site = site._replace(database=database, settings=settings, secret=secret, throttle=Throttle())
                application.state = initial_state(site)  # without the state of earlier requests
                return application
        return make_application(routes, database, settings)

    def give_back(self, routes: Sequence[Any], application: Litestar) -> None:
        """Keep an application for later tests."""
        self._free.append((routes, application.state.site.settings, application))
        del self._free[:-8]  # those with routes of one test are never reused


APPLICATIONS = FreeApplications()


class Served:
    """An application with a database, a clock, and a loop in which all its requests run."""

    def __init__(self, database: Database, routes: Sequence[Any], settings: dict[str, Any]) -> None:
        self.database = database
        self.clock = SetClock()
        wishes = {"clock": self.clock, "projects": PROJECTS, **settings, "hosts": ("station.test",)}
        self._routes = tuple(routes)
        self.application = APPLICATIONS.take(self._routes, database, SiteSettings(**wishes))
        hashing = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
        self.site: Site = self.application.state.site._replace(passwords=Passwords(hashing))
        self.site.environment.bytecode_cache = TEMPLATES
        self.application.state.site = self.site
        self._runner = asyncio.Runner()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end."""
        return self._runner.run(work)

    def browser(self, address: str = "192.0.2.1") -> Browser:
        """Return a browser without cookies."""
        return Browser(self, address)

    def account(self, name: str, *, is_admin: bool = False, password: str = "!") -> str:
        """Return the id of a new account; with the password "!" the login form rejects it."""
        now = self.clock()
        return self.database.write_now(
            lambda session: make_account(session, name, password, now, is_admin=is_admin).id
        )

    def logged_in(self, account_id: str, address: str = "192.0.2.1") -> Browser:
        """Return a browser with a session of this account, without the cost of a password hash."""
        browser, now = self.browser(address), self.clock()
        secret = self.database.write_now(
            lambda session: begin_session(session, account_id, now, address=address, browser="test")
        )
        browser.keep_session(secret)
        return browser

    def close(self) -> None:
        """Close the loop, and release the application for another test."""
        self._runner.close()
        APPLICATIONS.give_back(self._routes, self.application)


class Browser:
    """Requests with cookies. `page` is the text of the last response."""

    def __init__(self, served: Served, address: str) -> None:
        self._served = served
        scheme = "https" if served.site.settings.secure else "http"
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=served.application, client=(address, 50_000)),  # type: ignore[arg-type]
            base_url=f"{scheme}://station.test",
        )
        self.page = ""

    def keep_session(self, secret: str) -> None:
        """Use the cookie of a session."""
        from benchwright.web.core.pages import SESSION, cookie_name

        self.client.cookies.set(cookie_name(self._served.site, SESSION), secret, domain="station.test")

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send one request; redirects are not followed."""
        response = self._served.run(self.client.request(method, path, **options))
        self.page = response.text
        return response

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Open a page."""
        return self.request("GET", path, **options)

    def send(self, path: str, **fields: str) -> httpx.Response:
        """Send a form of the last page."""
        return self.request("POST", path, data={"csrf": self.token(), **fields})

    def token(self) -> str:
        """Return the token of the last page's forms."""
        found = _TOKEN.search(self.page)
        assert found is not None, self.page[:2000]
        return html.unescape(found[1])

    def cookies(self) -> dict[str, str]:
        """Return the cookies by kind."""
        return {name.rpartition("-")[0]: value for name, value in self.client.cookies.items()}

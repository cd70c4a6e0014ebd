"""Every route of an application × every kind of visitor × own and foreign projects in every state."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from benchwright.web.core.api_document import routes_of
from benchwright.web.core.guard import POLICY
from benchwright.web.core.policy import Access, Policy, Principal, ProjectView, State, allowed
from kit.web_client import Browser, Served

CODES = {Access.missing: 404, Access.forbidden: 403, Access.wrong_state: 409}
_NAMED = re.compile(r"\{(\w+):(\w+)\}")
_OTHER = {"str": "none", "int": "0"}  # ids that do not exist


class Person(NamedTuple):
    """A visitor: identity for the policies, and browser."""

    who: Principal
    browser: Browser


class Visited(NamedTuple):
    """One case: the request, its sender, the result by the table, and the actual reply."""

    case: str
    access: Access
    expected: int | None  # None if the route itself decides
    status: int

    @property
    def agrees(self) -> bool:
        """Return whether the reply is the one in the table."""
        if self.expected is None:
            return self.status < 500 and self.status not in (401, 403, 409)
        return self.status == self.expected


def people(served: Served) -> dict[str, Person]:
    """Return a visitor without account, one for each role, one without any role, and a site administrator."""
    found = {"nobody": Person(Principal(), served.browser())}
    for name in (*served.site.settings.projects.roles, "outsider", "admin"):
        account = served.account(name, is_admin=name == "admin")
        found[name] = Person(Principal(account, name, name == "admin"), served.logged_in(account))
    return found


def visited(
    served: Served,
    visitors: Mapping[str, Person],
    own: Mapping[State, str],
    foreign: Mapping[State, str],
) -> Iterator[Visited]:
    """Visit all routes. In the projects `own` each role has a member, in `foreign` no visitor has a role.

    Changes are requested as from another site, so that permitted ones pass the guard and change nothing.
    """
    rules = served.site.settings.projects
    for path, method, handler in routes_of(served.application):
        policy: Policy = handler.opt[POLICY]
        if not policy.needs_project:
            for name, person in visitors.items():
                access = allowed(policy, person.who, None, rules)
                if access is not Access.granted or method == "POST":
                    yield _visit(person, method, path, "", f"{name}", access)
            continue
        for (name, person), (kind, ids), state in product(
            visitors.items(), (("own", own), ("foreign", foreign)), rules.states
        ):
            role = name if kind == "own" and name in rules.roles else None
            access = allowed(policy, person.who, ProjectView(ids[state], state, state, role), rules)
            yield _visit(person, method, path, ids[state], f"{name}, {kind} {state}", access)


def _visit(person: Person, method: str, path: str, project: str, about: str, access: Access) -> Visited:
    filled = _NAMED.sub(lambda found: project if found[1] == "project_id" else _OTHER[found[2]], path)
    headers = {"sec-fetch-site": "cross-site"} if method == "POST" else {}
    status = person.browser.request(method, filled, headers=headers).status_code
    return Visited(f"{method} {path} by {about}", access, _expected(access, method, path), status)


def _expected(access: Access, method: str, path: str) -> int | None:
    if access is Access.log_in:
        return 303 if method == "GET" and not path.startswith("/api/") else 401
    if access is Access.granted:
        return 403 if method == "POST" else None
    return CODES[access]

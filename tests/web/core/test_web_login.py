"""First set-up, login, sessions and throttling, on both databases, with a clock that the tests set."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

import pytest
from argon2 import PasswordHasher
from sqlalchemy import select

from benchwright.web.core.accounts import make_project
from benchwright.web.core.authentication import IDLE_MS, LIFE_MS, WAITING, Passwords
from benchwright.web.core.clock import DAY_MS
from benchwright.web.core.invitations import InvitationTerms, invite, setup_token
from benchwright.web.core.policy import Refusal
from benchwright.web.core.tables import Account, ApiToken, AuditEntry, LoginSession, Membership
from kit.web_client import Browser, Served

Serve = Callable[..., Served]
PASSWORD = "four plain words here"


def _set_up(served: Served, name: str = "Anna") -> Browser:
    token = served.database.write_now(setup_token)
    browser = served.browser()
    assert browser.get(f"/setup?token={token}").status_code == 200
    assert browser.send("/setup", token=token or "", name=name, password=PASSWORD).status_code == 303
    return browser


def _log_in(browser: Browser, name: str, password: str, **more: str) -> int:
    browser.get("/login")
    return browser.send("/login", name=name, password=password, **more).status_code


@pytest.mark.postgresql
def test_the_first_account_is_made_once(serve: Serve) -> None:
    """The printed token creates an administrator, who owns all existing projects; the token then expires."""
    served = serve()
    served.database.write_now(lambda session: make_project(session, "Runs", 1, state="draft"))
    token = served.database.write_now(setup_token) or ""
    first, second = served.browser(), served.browser()
    for browser in (first, second):
        browser.get(f"/setup?token={token}")

    codes = [
        b.send("/setup", token=token, name="Anna", password=PASSWORD).status_code for b in (first, second)
    ]
    roles = served.database.read_now(lambda session: list(session.scalars(select(Membership.role))))

    assert (codes, roles) == ([303, 410], ["owner"])
    assert first.get("/admin").status_code == 200
    assert served.database.write_now(setup_token) is None


@pytest.mark.parametrize("name, password, said", [("Anna", "short", "10 to 256"), ("", PASSWORD, "a name must have"), ("long enough", "Long Enough", "must not be the name")])  # fmt: skip
def test_what_makes_no_account_leaves_the_token(serve: Serve, name: str, password: str, said: str) -> None:
    """A refused password or name is reported, and the same form works with better ones."""
    served = serve()
    token = served.database.write_now(setup_token) or ""
    browser = served.browser()
    browser.get(f"/setup?token={token}")

    refused = browser.send("/setup", token=token, name=name, password=password)

    assert (refused.status_code, said in refused.text) == (422, True)
    assert browser.send("/setup", token=token, name="Anna", password=PASSWORD).status_code == 303


def test_a_name_or_a_password_that_is_wrong_looks_the_same(serve: Serve) -> None:
    """The reply does not reveal which of the two was wrong; a closed account gets the same reply."""
    served = serve()
    _set_up(served)
    pages = []
    for name, password in (("anna", "wrong password"), ("nobody", PASSWORD)):
        browser = served.browser()
        browser.get("/login")
        response = browser.send("/login", name=name, password=password)
        shown = re.sub(r'(name="csrf" value=")[^"]*', r"\1", response.text).replace(f'value="{name}"', "")
        pages.append((response.status_code, shown))

    assert pages[0] == pages[1]
    assert pages[0][0] == 401


def test_a_login_leads_back_to_where_it_was_asked_for(serve: Serve) -> None:
    """It never leads to another site."""
    served = serve()
    _set_up(served)
    browser = served.browser()
    sent_to = browser.get("/admin/audit?before=9").headers["location"]
    browser.get(sent_to)
    back = re.search(r'name="back" value="([^"]*)"', browser.page)
    assert back is not None

    assert (
        browser.send("/login", name="ANNA ", password=PASSWORD, back=back[1]).headers["location"] == back[1]
    )
    for foreign in ("https://evil.test/", "//evil.test/", "/\\evil.test", "/\tx"):
        other = served.browser()
        other.get("/login")
        response = other.send("/login", name="anna", password=PASSWORD, back=foreign)
        assert response.headers["location"] == "/account"


def test_a_cookie_from_before_the_login_is_worth_nothing_after_it(serve: Serve) -> None:
    """An attacker who sets cookies in a browser does not get the session that begins there."""
    served = serve()
    _set_up(served)
    planted = "A" * 43
    victim, attacker = served.browser(), served.browser()
    for browser in (victim, attacker):
        browser.keep_session(planted)
    victim.get("/login")
    before = victim.cookies()

    assert victim.send("/login", name="anna", password=PASSWORD).status_code == 303
    assert victim.cookies()["session"] not in (planted, *before.values())
    assert "visit" not in victim.cookies()
    assert attacker.get("/account").status_code == 303


@pytest.mark.postgresql
def test_a_session_ends(serve: Serve) -> None:
    """It ends some time after its last use, and some time after its start, and not earlier."""
    served = serve()
    mine = served.account("anna")
    used, idle = served.logged_in(mine), served.logged_in(mine)
    began = served.clock.now

    served.clock.now = began + IDLE_MS - 1
    assert used.get("/account").status_code == 200
    served.clock.now = began + IDLE_MS
    assert (used.get("/account").status_code, idle.get("/account").status_code) == (200, 303)
    while served.clock.now + 2 * DAY_MS < began + LIFE_MS:
        served.clock.now += 2 * DAY_MS
        assert used.get("/account").status_code == 200
    served.clock.now = began + LIFE_MS
    assert used.get("/account").status_code == 303


def test_a_clock_that_was_set_back_before_a_start_breaks_nothing(serve: Serve) -> None:
    """Sessions that seem to start in the future are valid until their end, and people can log in."""
    served = serve()
    _set_up(served)
    mine = served.logged_in(served.account("bert"))
    served.clock.now -= 400 * DAY_MS

    assert mine.get("/account").status_code == 200
    assert _log_in(served.browser(), "anna", PASSWORD) == 303


@pytest.mark.postgresql
def test_one_logs_out_here_there_and_everywhere(serve: Serve) -> None:
    """Each of the three ends sessions on the server, so that a stored cookie is useless."""
    served = serve()
    mine = served.account("anna")
    browsers = [served.logged_in(mine, f"192.0.2.{number}") for number in range(1, 5)]
    kept = browsers[0].cookies()["session"]
    browsers[0].get("/account")
    assert browsers[0].send("/logout").status_code == 303
    browsers[0].keep_session(kept)

    browsers[1].get("/account")
    one = re.search(r"/account/sessions/[^/\"]+/end", browsers[1].page)
    assert one is not None
    browsers[1].send(one[0])
    left = [browser.get("/account").status_code for browser in browsers]
    browsers[1].get("/account")
    browsers[1].send("/account/sessions/end")

    assert sorted(left) == [200, 200, 303, 303]
    assert [browser.get("/account").status_code for browser in browsers] == [303] * 4


@pytest.mark.postgresql
def test_a_changed_password_ends_all_other_sessions(serve: Serve) -> None:
    """The browser that changed it continues with a new secret; the old password is invalid."""
    served = serve()
    here = _set_up(served)
    there = served.browser()
    assert _log_in(there, "anna", PASSWORD) == 303
    earlier = here.cookies()["session"]
    here.get("/account")

    assert here.send("/account/password", current="not this one", password=PASSWORD + "!").status_code == 422
    assert here.send("/account/password", current=PASSWORD, password=PASSWORD + "!").status_code == 303
    assert (here.get("/account").status_code, there.get("/account").status_code) == (200, 303)
    assert here.cookies()["session"] != earlier
    assert _log_in(served.browser(), "anna", PASSWORD) == 401


def _token(browser: Browser) -> dict[str, str]:
    """Return the request header with a new API token of the account at this browser."""
    browser.get("/account")
    made = browser.send("/account/tokens", name="loader", days="30").text
    found = re.search(r"bw_[\w-]+", made)
    assert found is not None, made[:2000]
    return {"authorization": f"Bearer {found[0]}"}


@pytest.mark.postgresql
@pytest.mark.parametrize("way", ["changed", "reset"])
def test_a_new_password_ends_tokens(serve: Serve, way: str) -> None:
    """A change by the owner and a reset by a link both end all tokens, and the log lists each one."""
    served = serve()
    browser = _set_up(served)
    program, headers = served.browser(), _token(browser)
    _token(browser)
    assert program.get("/api/account", headers=headers).status_code == 200
    browser.get("/account")
    if way == "changed":
        browser.send("/account/password", current=PASSWORD, password=PASSWORD + "!")
    else:
        account = served.database.read_now(lambda session: session.scalars(select(Account.id)).one())
        secret = served.database.write_now(
            lambda session: invite(session, None, served.clock(), InvitationTerms(account_id=account))
        )
        browser.get(f"/invitations/{secret}")
        browser.send(f"/invitations/{secret}", password=PASSWORD + "!")
    log = served.database.read_now(
        lambda session: list(session.scalars(select(AuditEntry).where(AuditEntry.action == "token.ended")))
    )

    assert program.get("/api/account", headers=headers).status_code == 401
    assert [entry.detail for entry in log] == ["loader: new password"] * 2
    assert program.get("/api/account", headers=_token(browser)).status_code == 200


@pytest.mark.postgresql
def test_a_removed_token_is_in_the_log_once(serve: Serve) -> None:
    """The log has its id and name; removing it again, or removing an unknown one, adds no entry."""
    served = serve()
    browser = _set_up(served)
    _token(browser)
    kept = served.database.read_now(lambda session: session.scalars(select(ApiToken)).one())
    codes = []
    for each in (kept.id, kept.id, "none"):
        browser.get("/account")
        codes.append(browser.send(f"/account/tokens/{each}/end").status_code)
    log = served.database.read_now(
        lambda session: list(session.scalars(select(AuditEntry).where(AuditEntry.action == "token.ended")))
    )

    assert codes == [303, 404, 404]
    assert [(entry.subject, entry.detail) for entry in log] == [(kept.id, "loader")]


@pytest.mark.postgresql
def test_a_token_only_reads(serve: Serve) -> None:
    """No form offers another scope, and one that is sent anyway is not stored."""
    served = serve()
    browser = _set_up(served)
    page = browser.get("/account").text
    browser.send("/account/tokens", name="loader", days="30", scope="write")
    stored = served.database.read_now(lambda session: list(session.scalars(select(ApiToken.scopes))))

    assert "read and write" not in page and set(stored) <= {"read"}


def test_guessing_is_slowed_down_and_the_owner_gets_in(serve: Serve) -> None:
    """After a few guesses each must wait, whatever its source; after the wait the right password works."""
    now = [0.0]
    served = serve()
    _set_up(served)
    served.site.throttle._now_s = lambda: now[0]
    codes = [_log_in(served.browser(f"192.0.2.{number}"), "anna", "wrong password") for number in range(7)]
    owner = served.browser("198.51.100.7")
    owner.get("/login")
    early = owner.send("/login", name="anna", password=PASSWORD)
    now[0] += int(early.headers["retry-after"])

    assert codes == [401] * 5 + [429] * 2
    assert early.status_code == 429
    assert _log_in(owner, "anna", PASSWORD) == 303


@pytest.mark.postgresql
def test_what_was_done_is_in_the_log(serve: Serve) -> None:
    """The log has actor, action and address in order, and no password or secret."""
    served = serve()
    browser = _set_up(served)
    _log_in(served.browser("198.51.100.7"), "anna", "wrong password")
    browser.get("/account")
    browser.send("/logout")

    entries = served.database.read_now(
        lambda session: list(session.scalars(select(AuditEntry).order_by(AuditEntry.number)))
    )

    assert [(each.action, each.address) for each in entries] == [
        ("site.setup", "192.0.2.1"),
        ("account.refused", "198.51.100.7"),
        ("account.logout", "192.0.2.1"),
    ]
    assert PASSWORD not in repr([vars(each) for each in entries])


@pytest.mark.postgresql
def test_the_database_holds_no_secret_of_a_cookie(serve: Serve) -> None:
    """A reader of the database cannot use it to log in as another."""
    served = serve()
    browser = served.logged_in(served.account("anna"))
    rows = served.database.read_now(lambda session: list(session.scalars(select(LoginSession))))

    assert browser.get("/account").status_code == 200
    assert browser.cookies()["session"] not in repr([vars(row) for row in rows])


class _Watched(PasswordHasher):
    """Records the number of concurrent hash computations."""

    running = most = 0

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.running += 1
        self.most = max(self.most, self.running)
        made = super().hash(password, salt=salt)
        self.running -= 1
        return made


def test_at_most_two_passwords_are_hashed_at_once() -> None:
    """Twenty simultaneous logins are all answered, two at a time."""
    watched = _Watched(time_cost=1)
    passwords = Passwords(watched)

    async def together() -> list[bool]:
        return await asyncio.gather(*(passwords.match(None, "some password") for _ in range(20)))

    assert asyncio.run(together()) == [False] * 20
    assert watched.most == 2
    passwords.close()


def test_more_than_can_wait_are_asked_to_come_again() -> None:
    """A flood of logins does not fill the memory: the queue is answered, and all others are refused."""
    passwords = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))

    async def flood() -> list[bool | BaseException]:
        tries = (passwords.match(None, "some password") for _ in range(WAITING + 5))
        return await asyncio.gather(*tries, return_exceptions=True)

    answers = asyncio.run(flood())
    passwords.close()

    assert answers.count(False) == WAITING
    assert [each.status_code for each in answers if isinstance(each, Refusal)] == [503] * 5

"""Invitation links, and actions of administrators, on both databases."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from benchwright.web.core.accounts import join, make_project, projects_of
from benchwright.web.core.invitations import LIFE_MS, InvitationTerms, invite
from benchwright.web.core.policy import Role
from benchwright.web.core.tables import Account, AuditEntry, Invitation
from kit.web_client import START_MS, Browser, Served

Serve = Callable[..., Served]
PASSWORD = "four plain words here"


def _link(browser: Browser) -> str:
    found = re.search(r"http://station\.test(/invitations/[\w-]+)</code>", browser.page)
    assert found is not None, browser.page
    return found[1]


def _project(served: Served, owner: str) -> str:
    return served.database.write_now(
        lambda session: make_project(session, "Runs <b>", START_MS, state="draft", owner_id=owner).id
    )


def _invite(served: Served, by: str, project: str, role: Role = "judge") -> str:
    invited = InvitationTerms(project_id=project, role=role)
    return "/invitations/" + served.database.write_now(
        lambda session: invite(session, by, served.clock(), invited)
    )


def _roles(served: Served, account_id: str) -> list[str | None]:
    views = served.database.read_now(lambda session: projects_of(session, account_id))
    return [view.role for view in views]


def _id_of(served: Served, name: str) -> str:
    return served.database.read_now(
        lambda session: session.scalars(select(Account.id).where(Account.name == name)).one()
    )


@pytest.mark.postgresql
def test_an_invited_judge_makes_an_account_and_has_the_role(serve: Serve) -> None:
    """Opening the link does not use it up; the project's name is shown as text."""
    served = serve()
    link = _invite(served, owner := served.account("owner"), _project(served, owner))
    browser = served.browser()
    for _ in range(3):
        assert "Runs &lt;b&gt;" in browser.get(link).text

    assert browser.send(link, name="Judge One", password=PASSWORD).status_code == 303
    assert _roles(served, _id_of(served, "judge one")) == ["judge"]
    assert browser.get("/account").status_code == 200


def test_a_link_works_once(serve: Serve) -> None:
    """The second person to send the form gets an error, and no account is created."""
    served = serve()
    link = _invite(served, owner := served.account("owner"), _project(served, owner))
    first, second = served.browser(), served.browser()
    for browser in (first, second):
        browser.get(link)
    first.send(link, name="one", password=PASSWORD)

    assert second.send(link, name="two", password=PASSWORD).status_code == 410
    assert served.browser().get(link).status_code == 410
    assert (
        served.database.read_now(lambda session: session.scalar(select(func.count()).select_from(Account)))
        == 2
    )


@pytest.mark.postgresql
def test_two_at_once_cannot_both_use_it(serve: Serve) -> None:
    """The second transaction leaves no account and no role."""
    import asyncio

    served = serve()
    link = _invite(served, owner := served.account("owner"), _project(served, owner))
    browsers = [served.browser() for _ in range(6)]
    for browser in browsers:
        browser.get(link)

    async def together() -> list[int]:
        sent = [
            browser.client.post(
                link, data={"csrf": browser.token(), "name": f"name{n}", "password": PASSWORD}
            )
            for n, browser in enumerate(browsers)
        ]
        return [answer.status_code for answer in await asyncio.gather(*sent)]

    assert sorted(served.run(together())) == [303, *[410] * 5]
    assert (
        served.database.read_now(lambda session: session.scalar(select(func.count()).select_from(Account)))
        == 2
    )


@pytest.mark.postgresql
def test_a_link_ends(serve: Serve) -> None:
    """A link ends after its time or when it is withdrawn; an unknown link gets the same reply."""
    served = serve()
    boss = served.account("boss", is_admin=True)
    admin = served.logged_in(boss)
    admin.get("/admin")
    admin.send("/admin/invitations", note="for Bert")
    link = _link(admin)
    withdraw = re.search(r"/admin/invitations/[\w-]+/withdraw", admin.page)
    assert withdraw is not None

    assert served.browser().get(link).status_code == 200
    assert admin.send(withdraw[0]).status_code == 303
    gone, never = served.browser().get(link), served.browser().get("/invitations/never-made")
    assert (gone.status_code, gone.text) == (410, never.text)
    late = _invite(served, boss, _project(served, boss))
    served.clock.now += LIFE_MS
    assert served.browser().get(late).status_code == 410


def test_who_has_an_account_takes_part_with_it(serve: Serve) -> None:
    """The account joins by a button; a second link does not remove an existing role."""
    served = serve()
    owner, bert = served.account("owner"), served.account("bert")
    project = _project(served, owner)
    browser, mine = served.logged_in(bert), served.logged_in(owner)
    link = _invite(served, owner, project, "viewer")
    for each in (browser, mine):
        each.get(link)

    assert mine.send(link + "/join").status_code == 422
    assert browser.send(link + "/join").status_code == 303
    assert (_roles(served, owner), _roles(served, bert)) == (["owner"], ["viewer"])


def test_a_forgotten_password_is_set_anew_by_a_link(serve: Serve) -> None:
    """The link works for that account only, for its holder, and ends its sessions. Another account's session
    cannot use it up."""
    served = serve()
    admin, bert = served.logged_in(served.account("boss", is_admin=True)), served.account("bert")
    was_in, eve = served.logged_in(bert), served.logged_in(served.account("eve"))
    admin.get("/admin")
    admin.send(f"/admin/accounts/{bert}/password")
    link = _link(admin)
    eve.get("/account")

    assert eve.send(link + "/join").status_code == 410
    browser = served.browser()
    browser.get(link)
    assert browser.send(link, name="boss", password=PASSWORD).status_code == 303
    assert "<h1>bert</h1>" in browser.get("/account").text
    assert was_in.get("/account").status_code == 303
    fresh = served.browser()
    fresh.get("/login")
    assert fresh.send("/login", name="bert", password=PASSWORD).status_code == 303


@pytest.mark.postgresql
def test_a_closed_account_is_out_at_once(serve: Serve) -> None:
    """Its sessions end, and only an administrator can reopen it; administrators cannot close their own
    account."""
    served = serve()
    boss, bert = served.account("boss", is_admin=True), served.account("bert")
    admin, browser = served.logged_in(boss), served.logged_in(bert)
    admin.get("/admin")
    assert admin.send(f"/admin/accounts/{bert}/close").status_code == 303
    assert browser.get("/account").status_code == 303
    admin.get("/admin")
    assert admin.send(f"/admin/accounts/{boss}/close").status_code == 422
    admin.get("/admin")
    assert admin.send(f"/admin/accounts/{bert}/open").status_code == 303
    assert served.logged_in(bert).get("/account").status_code == 200
    admin.get("/admin")
    assert [admin.send(f"/admin/accounts/none/{what}").status_code for what in ("close", "open")] == [
        404,
        404,
    ]


@pytest.mark.postgresql
def test_an_admin_reads_what_was_done(serve: Serve) -> None:
    """The log has a hundred entries per page, newest first; typed texts are escaped, control characters by
    name."""
    served = serve()
    admin = served.logged_in(served.account("boss", is_admin=True))
    admin.get("/admin")
    for number in range(101):
        assert admin.send("/admin/invitations", note=f"<i>{number}\u202e\x1b[31m").status_code == 200
    first = admin.get("/admin/audit").text
    earlier = re.search(r"/admin/audit\?before=\d+", first)
    assert earlier is not None

    assert ("&lt;i&gt;100" in first, "&lt;i&gt;0\\u202e" in first) == (True, False)
    assert "&lt;i&gt;0\\u202e\\x1b[31m" in admin.get(earlier[0]).text
    assert "\x1b" not in first and "\u202e" not in first
    assert admin.get("/admin/audit?before=99999999999999999999").status_code == 200


@pytest.mark.postgresql
def test_links_are_kept_as_hashes(serve: Serve) -> None:
    """The database contains no link."""
    served = serve()
    link = _invite(served, owner := served.account("owner"), _project(served, owner))

    def everything(session: Session) -> str:
        rows = [*session.scalars(select(Invitation)), *session.scalars(select(AuditEntry))]
        return repr([vars(row) for row in rows])

    assert link.rpartition("/")[2] not in served.database.read_now(everything)


@pytest.mark.postgresql
def test_a_role_is_replaced_by_a_later_one(serve: Serve) -> None:
    """An account has one role in a project."""
    served = serve()
    owner, bert = served.account("owner"), served.account("bert")
    project = _project(served, owner)
    for role in ("judge", "curator"):
        given: Role = role  # type: ignore[assignment]
        served.database.write_now(lambda session, given=given: join(session, project, bert, given))  # type: ignore[misc]

    assert _roles(served, bert) == ["curator"]

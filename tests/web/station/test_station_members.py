"""Members of a project: changed roles, removal, excluded votes, and deletion of people."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from benchwright.judges.people.results import results_of
from benchwright.web.core.policy import Role
from benchwright.web.core.tables import Account, AuditEntry, Membership
from kit.station_kit import Judge, Station

Make = Callable[..., Station]


def _send(there: Station, by: Judge, account: str, what: str, **fields: str) -> int:
    by.browser.get(f"/projects/{there.project}")
    if 'name="csrf"' not in by.browser.page:
        by.browser.get("/account")
    status: int = by.browser.send(f"/projects/{there.project}/members/{account}/{what}", **fields).status_code
    return status


def _role(there: Station, account: str) -> str | None:
    found = there.database.read_now(lambda session: session.get(Membership, (there.project, account)))
    return None if found is None else found.role


def _log(there: Station) -> list[str]:
    query = select(AuditEntry.action).order_by(AuditEntry.number)
    return there.database.read_now(lambda session: list(session.scalars(query)))


@pytest.mark.parametrize(
    "by, was, to, status, now",
    [
        ("owner", "viewer", "curator", 303, "curator"),
        ("owner", "judge", "viewer", 303, "viewer"),
        ("owner", "curator", "owner", 303, "owner"),
        ("owner", "owner", "viewer", 303, "viewer"),
        ("owner", "viewer", "judge", 422, "viewer"),
        ("owner", "adjudicator", "judge", 422, "adjudicator"),
        ("owner", "viewer", "admin", 422, "viewer"),
        ("curator", "viewer", "adjudicator", 303, "adjudicator"),
        ("curator", "viewer", "owner", 422, "viewer"),
        ("curator", "owner", "viewer", 422, "owner"),
        ("viewer", "judge", "viewer", 403, "judge"),
        ("judge", "viewer", "curator", 403, "viewer"),
    ],
)
def test_a_role_is_changed(station: Make, by: Role, was: Role, to: str, status: int, now: str) -> None:
    """Owners and curators may do it; nobody who has seen results may become a judge."""
    there = station()
    boss, ann = there.member("boss", by), there.member("ann", was)

    assert _send(there, boss, ann.account, "role", role=to) == status
    assert _role(there, ann.account) == now
    assert ("member.role" in _log(there)) == (status == 303)


def test_a_project_keeps_an_owner(station: Make) -> None:
    """The last owner can neither be removed nor get another role, not even by themselves."""
    there = station()
    boss = there.member("boss", "owner")

    assert _send(there, boss, boss.account, "remove") == 422
    assert _send(there, boss, boss.account, "role", role="viewer") == 422
    assert _role(there, boss.account) == "owner"


@pytest.mark.postgresql
def test_a_removed_judge_is_shut_out_and_their_votes_stay(station: Make) -> None:
    """It takes effect at the next request; the owner still sees their votes."""
    there = station()
    boss, ann = there.member("boss", "owner"), there.member("ann")
    ann.open()
    ann.send(decision="correct")
    status = _send(there, boss, ann.account, "remove")
    page = boss.browser.get(f"/projects/{there.project}").text

    assert (status, ann.browser.get(ann.path).status_code) == (303, 404)
    assert len(there.votes()) == 1
    assert "no longer a member" in page
    assert _send(there, boss, ann.account, "remove") == 404
    assert _send(there, boss, "A" * 22, "remove") == 404
    assert "member.removed" in _log(there)


@pytest.mark.postgresql
def test_votes_are_left_out_and_taken_in_again(station: Make) -> None:
    """They are excluded from results, exports and disputed items, and included again later; the audit log has
    both."""
    there = station(judgements=2)
    boss, cur = there.member("boss", "owner"), there.member("cur", "curator")
    judges = {name: there.member(name) for name in ("ann", "bad")}
    for name, judge in judges.items():
        judge.open()
        while judge.fields:
            judge.send(decision="correct" if name == "ann" else "wrong")
    bad = judges["bad"].account
    disputed = f"/adjudicating/{there.project}"
    before = there.votes()

    assert _send(there, cur, bad, "votes", to="leave-out") == 403
    assert _send(there, boss, bad, "votes", to="burn") == 422
    assert _send(there, boss, bad, "votes", to="take-in") == 404
    assert "8 items left" in boss.browser.get(disputed).text
    assert _send(there, boss, bad, "votes", to="leave-out") == 303
    assert {vote.judge for vote in there.votes()} == {there.pseudonym(judges["ann"])}
    assert {result.result for result in results_of(there.votes())} == {"single"}
    assert "No items need adjudication" in boss.browser.get(disputed).text
    assert "votes excluded" in boss.browser.get(f"/projects/{there.project}").text
    assert _send(there, boss, bad, "votes", to="take-in") == 303
    assert there.votes() == before
    assert [each for each in _log(there) if each.startswith("votes.")] == ["votes.left_out", "votes.taken_in"]


@pytest.mark.postgresql
@pytest.mark.parametrize("work, votes, comments", [("keep", 1, ["because"]), ("leave-out", 0, [])])
def test_a_person_is_deleted(station: Make, work: str, votes: int, comments: list[str]) -> None:
    """No name, login, role or address is left; votes keep their pseudonym or are excluded."""
    there = station()
    ann = there.member("ann-maria")
    ann.open()
    ann.send(decision="correct", comment="because")
    pseudonym = there.pseudonym(ann)
    admin = there.served.logged_in(there.served.account("root", is_admin=True), "198.51.100.7")
    admin.get("/admin")
    sent = admin.send(f"/admin/accounts/{ann.account}/delete", work=work)

    def left(session: Session) -> tuple[str, str, list[str]]:
        account = session.get_one(Account, ann.account)
        entries = session.scalars(select(AuditEntry))
        return account.name, account.password, [f"{e.subject} {e.detail}" for e in entries]

    name, password, entries = there.database.read_now(left)
    found = there.votes()

    assert sent.status_code == 303
    assert (name.startswith("deleted-"), password) == (True, "")
    assert not any("ann-maria" in each for each in entries)
    assert "account.deleted" in _log(there)
    assert ann.browser.get("/account").status_code == 303
    assert "ann-maria" not in admin.get("/admin").text
    assert [vote.judge for vote in found] == [pseudonym] * votes
    assert [vote.comment for vote in found] == comments
    for again in ("delete", "open", "password", "close"):
        admin.get("/admin")
        assert admin.send(f"/admin/accounts/{ann.account}/{again}", work="keep").status_code == 404


@pytest.mark.postgresql
def test_who_is_not_deleted(station: Make) -> None:
    """Oneself, the only owner of a project, and anybody without a decision about their votes."""
    there = station()
    boss, ann = there.member("boss", "owner"), there.member("ann")
    root = there.served.account("root", is_admin=True)
    admin = there.served.logged_in(root)
    refused = [(root, "keep"), (boss.account, "keep"), (ann.account, ""), (ann.account, "both")]
    for account, work in refused:
        admin.get("/admin")
        assert admin.send(f"/admin/accounts/{account}/delete", work=work).status_code == 422

    assert _role(there, ann.account) == "judge"
    assert "account.deleted" not in _log(there)

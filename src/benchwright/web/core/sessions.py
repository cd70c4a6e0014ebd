"""Login sessions: the cookie holds 256 random bits, the database their hash."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name
from benchwright.web.core.clock import DAY_MS, HOUR_MS
from benchwright.web.core.opaque import new_id, new_secret, stored
from benchwright.web.core.policy import ProjectView, Who
from benchwright.web.core.tables import Account, LoginSession, Membership, Project, table_of

LIFE_MS = 14 * DAY_MS  # from the login
IDLE_MS = 3 * DAY_MS  # from the last request
SEEN_MS = HOUR_MS // 2  # use is recorded at most this often, so that not every page writes

_L, _A = table_of(LoginSession), table_of(Account)
_P, _M = table_of(Project), table_of(Membership)
_LOGIN = (
    select(
        *(_L.c.token_hash, _L.c.seen_ms, _L.c.expires_ms, _A.c.id, _A.c.name, _A.c.is_admin, _A.c.closed_ms),
        *(_P.c.id, _P.c.name, _P.c.state, _M.c.role),
    )
    .join(_A, _A.c.id == _L.c.account_id)
    .outerjoin(_P, _P.c.id == bindparam("project"))
    .outerjoin(_M, (_M.c.project_id == _P.c.id) & (_M.c.account_id == _A.c.id))
    .where(_L.c.token_hash == bindparam("hash"))
)


class Login(NamedTuple):
    """A valid session: the account, when its use was last recorded, and its view of the project."""

    token_hash: str
    seen_ms: int
    who: Who
    project: ProjectView | None


def begin_session(session: Session, account_id: str, now: int, *, address: str, browser: str) -> str:
    """Begin a session; return the secret for its cookie. An earlier cookie's secret is never reused."""
    secret = new_secret()
    session.add(
        LoginSession(
            token_hash=stored(secret),
            id=new_id(),
            account_id=account_id,
            created_ms=now,
            seen_ms=now,
            expires_ms=now + LIFE_MS,
            address=address,
            browser=escaped_name(browser, 200),
        )
    )
    session.execute(delete(LoginSession).where(LoginSession.expires_ms <= now))
    return secret


def find_session(session: Session, secret: str, now: int, project_id: str | None = None) -> Login | None:
    """The session of a cookie, with the account's view of a project; None if it ended or the account is
    closed.

    Every request of a logged-in visitor starts with it, so it is a single statement.
    """
    given = {"hash": stored(secret), "project": project_id}
    found = session.connection().execute(_LOGIN, given).first()
    if found is None:
        return None
    token_hash, seen_ms, expires_ms, account, name, is_admin, closed_ms, project, title, state, role = found
    if closed_ms is not None or now >= min(expires_ms, seen_ms + IDLE_MS):
        return None
    view = None
    if project is not None:
        view = ProjectView(project, title, state, role)
    return Login(token_hash, seen_ms, Who(account, name, is_admin), view)


def note_seen(session: Session, token_hash: str, now: int) -> None:
    """Record that the session is in use."""
    if (login := session.get(LoginSession, token_hash)) is not None:
        login.seen_ms = now


def end_session(session: Session, secret: str) -> None:
    """End the session of this secret."""
    session.execute(delete(LoginSession).where(LoginSession.token_hash == stored(secret)))


def end_sessions(session: Session, account_id: str, *, but: str | None = None) -> None:
    """End all sessions of the account, except that of the secret `but`."""
    ending = delete(LoginSession).where(LoginSession.account_id == account_id)
    session.execute(ending if but is None else ending.where(LoginSession.token_hash != stored(but)))


def sessions_of(session: Session, account_id: str, now: int) -> list[LoginSession]:
    """The valid sessions of an account, most recently used first."""
    good = (
        (LoginSession.account_id == account_id)
        & (LoginSession.expires_ms > now)
        & (LoginSession.seen_ms > now - IDLE_MS)
    )
    return list(session.scalars(select(LoginSession).where(good).order_by(LoginSession.seen_ms.desc())))

"""Logins: a cookie holds 256 random bits, the database their hash, and all else stays on the server."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name
from benchwright.web.core.clock import DAY_MS, HOUR_MS
from benchwright.web.core.opaque import new_id, new_secret, stored
from benchwright.web.core.tables import Account, LoginSession

LIFE_MS = 14 * DAY_MS  # from the login
IDLE_MS = 3 * DAY_MS  # from the last request
SEEN_MS = HOUR_MS // 2  # a request is noted when the last note is older: not every page may write


def begin_session(session: Session, account_id: str, now: int, *, address: str, browser: str) -> str:
    """A new login; the secret for its cookie. An earlier cookie's value is never taken up."""
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


def find_session(session: Session, secret: str, now: int) -> tuple[LoginSession, Account] | None:
    """The login of a cookie with its account; None where it has ended or the account is closed."""
    found = session.execute(
        select(LoginSession, Account)
        .join(Account, Account.id == LoginSession.account_id)
        .where(LoginSession.token_hash == stored(secret))
    ).first()
    if found is None:
        return None
    login, account = found
    ended = now >= min(login.expires_ms, login.seen_ms + IDLE_MS)
    return None if ended or account.closed_ms is not None else (login, account)


def note_seen(session: Session, token_hash: str, now: int) -> None:
    """Remember that the login is in use."""
    if (login := session.get(LoginSession, token_hash)) is not None:
        login.seen_ms = now


def end_session(session: Session, secret: str) -> None:
    """Log this browser out."""
    session.execute(delete(LoginSession).where(LoginSession.token_hash == stored(secret)))


def end_sessions(session: Session, account_id: str, *, but: str | None = None) -> None:
    """Log the account out everywhere, but for the login whose cookie holds the secret `but`."""
    ending = delete(LoginSession).where(LoginSession.account_id == account_id)
    session.execute(ending if but is None else ending.where(LoginSession.token_hash != stored(but)))


def sessions_of(session: Session, account_id: str, now: int) -> list[LoginSession]:
    """The logins of an account that are good, the last used first."""
    good = (
        (LoginSession.account_id == account_id)
        & (LoginSession.expires_ms > now)
        & (LoginSession.seen_ms > now - IDLE_MS)
    )
    return list(session.scalars(select(LoginSession).where(good).order_by(LoginSession.seen_ms.desc())))

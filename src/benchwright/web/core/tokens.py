"""API tokens: shown once, stored as a hash, with scopes and an expiry."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from benchwright.display.escape import visible_name
from benchwright.errors import UsageError
from benchwright.web.core.accounts import who_is
from benchwright.web.core.audit import Act, note
from benchwright.web.core.opaque import new_id, new_secret, stored
from benchwright.web.core.policy import SCOPES, Who
from benchwright.web.core.tables import Account, ApiToken

MARK = "bw_"  # prefix for scanners of leaked secrets
LONGEST_NAME = 64


def make_token(
    session: Session, account_id: str, name: str, scopes: Iterable[str], *, now: int, expires_ms: int
) -> str:
    """Create a token of the account. Raises UsageError for missing or unknown scopes, or an expiry in the
    past.
    """
    wanted = set(scopes)
    if not wanted or wanted - set(SCOPES):
        raise UsageError("the scopes of the token are missing or unknown", hint=", ".join(SCOPES))
    if expires_ms <= now:
        raise UsageError("the token must expire in the future")
    if len(name) > LONGEST_NAME:
        raise UsageError(f"the token's name must have at most {LONGEST_NAME} characters")
    secret = MARK + new_secret()
    session.add(
        ApiToken(
            token_hash=stored(secret),
            id=new_id(),
            account_id=account_id,
            name=visible_name(name),
            scopes=" ".join(sorted(wanted)),
            created_ms=now,
            expires_ms=expires_ms,
        )
    )
    return secret


def find_token(session: Session, secret: str, now: int) -> Who | None:
    """The account of a token; None if it is unknown or expired, or the account is closed."""
    found = session.execute(
        select(ApiToken, Account)
        .join(Account, Account.id == ApiToken.account_id)
        .where(ApiToken.token_hash == stored(secret), ApiToken.expires_ms > now, Account.closed_ms.is_(None))
    ).first()
    if found is None:
        return None
    token, account = found
    return who_is(account, frozenset(token.scopes.split()))


def tokens_of(session: Session, account_id: str) -> list[ApiToken]:
    """All tokens of an account, newest first."""
    mine = select(ApiToken).where(ApiToken.account_id == account_id)
    return list(session.scalars(mine.order_by(ApiToken.created_ms.desc(), ApiToken.id)))


def end_all_tokens(session: Session, account_id: str, address: str, now: int) -> None:
    """Revoke all tokens of an account after a password change, and log each."""
    ended = delete(ApiToken).where(ApiToken.account_id == account_id).returning(ApiToken.id, ApiToken.name)
    for token_id, name in session.execute(ended).all():
        note(session, Act("token.ended", account_id, address, token_id, detail=f"{name}: new password"), now)


def end_token(session: Session, account_id: str, token_id: str, address: str, now: int) -> bool:
    """Revoke a token of this account, and log it. Returns whether there was one."""
    ended = delete(ApiToken).where(ApiToken.account_id == account_id, ApiToken.id == token_id)
    name = session.execute(ended.returning(ApiToken.name)).scalar_one_or_none()
    if name is not None:
        note(session, Act("token.ended", account_id, address, token_id, detail=name), now)
    return name is not None

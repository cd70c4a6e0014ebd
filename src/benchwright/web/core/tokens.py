"""Secrets for programs: shown once, kept as a hash, with scopes and an end."""

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

MARK = "bw_"  # what scanners for leaked secrets can look for
LONGEST_NAME = 64


def make_token(
    session: Session, account_id: str, name: str, scopes: Iterable[str], *, now: int, expires_ms: int
) -> str:
    """A new secret of the account. Raises UsageError for unknown scopes, none, or an end in the past."""
    wanted = set(scopes)
    if not wanted or wanted - set(SCOPES):
        raise UsageError("a token needs a scope", hint=", ".join(SCOPES))
    if expires_ms <= now:
        raise UsageError("a token must end in the future")
    if len(name) > LONGEST_NAME:
        raise UsageError(f"a token's name has at most {LONGEST_NAME} characters")
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
    """Who a program acts for; None where the token is unknown or over, or its account is closed."""
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
    """All tokens of an account, the newest first."""
    mine = select(ApiToken).where(ApiToken.account_id == account_id)
    return list(session.scalars(mine.order_by(ApiToken.created_ms.desc(), ApiToken.id)))


def end_all_tokens(session: Session, account_id: str, address: str, now: int) -> None:
    """Make all tokens of an account worthless, since its password is another; the log has each of them."""
    ended = delete(ApiToken).where(ApiToken.account_id == account_id).returning(ApiToken.id, ApiToken.name)
    for token_id, name in session.execute(ended).all():
        note(session, Act("token.ended", account_id, address, token_id, detail=f"{name}: new password"), now)


def end_token(session: Session, account_id: str, token_id: str, address: str, now: int) -> bool:
    """Make a token of this account worthless; whether there was one. The log has it by id and name."""
    ended = delete(ApiToken).where(ApiToken.account_id == account_id, ApiToken.id == token_id)
    name = session.execute(ended.returning(ApiToken.name)).scalar_one_or_none()
    if name is not None:
        note(session, Act("token.ended", account_id, address, token_id, detail=name), now)
    return name is not None

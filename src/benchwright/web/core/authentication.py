"""Authentication: passwords, login sessions, API tokens, and the limit on guesses.

Passwords are hashed with argon2id, at most two at a time. A session cookie or a token holds 256 random
bits; the database stores their hash. Failed attempts are limited by account and by network address.
"""

from __future__ import annotations

import asyncio
import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import bindparam, delete, select
from sqlalchemy.orm import Session

from benchwright.display.escape import escaped_name, visible_name
from benchwright.errors import UsageError
from benchwright.web.core.accounts import AuditEvent, log_event, principal_of
from benchwright.web.core.clock import DAY_MS, HOUR_MS
from benchwright.web.core.policy import SCOPES, Principal, ProjectView, Refusal
from benchwright.web.core.secrets import new_id, new_secret, secret_hash
from benchwright.web.core.tables import Account, ApiToken, LoginSession, Membership, Project, table_of

T = TypeVar("T")
AT_ONCE = 2
WAITING = 64  # waiting requests; more are refused
SHORTEST, LONGEST = 10, 256  # characters


class Passwords:
    """Hashes and verifies passwords in its own threads. Tests replace `hasher` by a cheap one."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="password")
        self._waiting = 0

    async def hashed(self, password: str) -> str:
        """The hash to store. Raises Refusal if too many requests wait."""
        return await self._in_turn(self._hasher.hash, password)

    async def match(self, stored: str | None, password: str) -> bool:
        """Whether the password is right. Without an account the same work is done, to take the same time."""
        if stored is None:
            await self._in_turn(self._hasher.hash, password)
            return False
        return await self._in_turn(self._matches, stored, password)

    def outdated(self, stored: str) -> bool:
        """Whether the hash has other parameters than today's and should be renewed."""
        return self._hasher.check_needs_rehash(stored)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_turn(self, work: Callable[..., T], *words: str) -> T:
        if self._waiting >= WAITING:
            raise Refusal(503, "Too many logins at the same time", "Wait a moment and try again.", retry_s=10)
        self._waiting += 1
        try:
            return await asyncio.wrap_future(self._threads.submit(work, *words))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """Stop the threads."""
        self._threads.shutdown(wait=True)


def check_password(password: str, name: str) -> None:
    """Raise UsageError if the password is too short, too long or equals the name."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(
            f"a password must have {SHORTEST} to {LONGEST} characters",
            hint="for example, use four or five common words",
        )
    if password.casefold().strip() == name.casefold().strip():
        raise UsageError(
            "the password must not be the name", hint="for example, use four or five common words"
        )


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
    who: Principal
    project: ProjectView | None


def begin_session(session: Session, account_id: str, now: int, *, address: str, browser: str) -> str:
    """Begin a session; return the secret for its cookie. An earlier cookie's secret is never reused."""
    secret = new_secret()
    session.add(
        LoginSession(
            token_hash=secret_hash(secret),
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
    given = {"hash": secret_hash(secret), "project": project_id}
    found = session.connection().execute(_LOGIN, given).first()
    if found is None:
        return None
    token_hash, seen_ms, expires_ms, account, name, is_admin, closed_ms, project, title, state, role = found
    if closed_ms is not None or now >= min(expires_ms, seen_ms + IDLE_MS):
        return None
    view = None
    if project is not None:
        view = ProjectView(project, title, state, role)
    return Login(token_hash, seen_ms, Principal(account, name, is_admin), view)


def note_seen(session: Session, token_hash: str, now: int) -> None:
    """Record that the session is in use."""
    if (login := session.get(LoginSession, token_hash)) is not None:
        login.seen_ms = now


def end_session(session: Session, secret: str) -> None:
    """End the session of this secret."""
    session.execute(delete(LoginSession).where(LoginSession.token_hash == secret_hash(secret)))


def end_sessions(session: Session, account_id: str, *, but: str | None = None) -> None:
    """End all sessions of the account, except that of the secret `but`."""
    ending = delete(LoginSession).where(LoginSession.account_id == account_id)
    session.execute(ending if but is None else ending.where(LoginSession.token_hash != secret_hash(but)))


def sessions_of(session: Session, account_id: str, now: int) -> list[LoginSession]:
    """The valid sessions of an account, most recently used first."""
    good = (
        (LoginSession.account_id == account_id)
        & (LoginSession.expires_ms > now)
        & (LoginSession.seen_ms > now - IDLE_MS)
    )
    return list(session.scalars(select(LoginSession).where(good).order_by(LoginSession.seen_ms.desc())))


MARK = "bw_"  # prefix for scanners of leaked secrets
LONGEST_NAME = 64


def make_token(
    session: Session,
    account_id: str,
    name: str,
    scopes: Iterable[str],
    *,
    now: int,
    expires_ms: int,
    project_id: str | None = None,
) -> str:
    """Create a token of the account, for one project if it is given. Raises UsageError for missing or
    unknown scopes, or an expiry in the past.
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
            token_hash=secret_hash(secret),
            id=new_id(),
            account_id=account_id,
            name=visible_name(name),
            scopes=" ".join(sorted(wanted)),
            created_ms=now,
            expires_ms=expires_ms,
            project_id=project_id,
        )
    )
    return secret


def find_token(session: Session, secret: str, now: int) -> Principal | None:
    """The account of a token; None if it is unknown or expired, or the account is closed."""
    found = session.execute(
        select(ApiToken, Account)
        .join(Account, Account.id == ApiToken.account_id)
        .where(
            ApiToken.token_hash == secret_hash(secret), ApiToken.expires_ms > now, Account.closed_ms.is_(None)
        )
    ).first()
    if found is None:
        return None
    token, account = found
    who = principal_of(account, frozenset(token.scopes.split()))
    return who._replace(only_project=token.project_id)


def tokens_of(session: Session, account_id: str) -> list[ApiToken]:
    """All tokens of an account, newest first."""
    mine = select(ApiToken).where(ApiToken.account_id == account_id)
    return list(session.scalars(mine.order_by(ApiToken.created_ms.desc(), ApiToken.id)))


def end_all_tokens(session: Session, account_id: str, address: str, now: int) -> None:
    """Revoke all tokens of an account after a password change, and log each."""
    ended = delete(ApiToken).where(ApiToken.account_id == account_id).returning(ApiToken.id, ApiToken.name)
    for token_id, name in session.execute(ended).all():
        log_event(
            session,
            AuditEvent("token.ended", account_id, address, token_id, detail=f"{name}: new password"),
            now,
        )


def end_token(session: Session, account_id: str, token_id: str, address: str, now: int) -> bool:
    """Revoke a token of this account, and log it. Returns whether there was one."""
    ended = delete(ApiToken).where(ApiToken.account_id == account_id, ApiToken.id == token_id)
    name = session.execute(ended.returning(ApiToken.name)).scalar_one_or_none()
    if name is not None:
        log_event(session, AuditEvent("token.ended", account_id, address, token_id, detail=name), now)
    return name is not None


KEPT = 10_000  # keys; the oldest are dropped first
LONGEST_KEY = 100  # characters of a key: anyone may send a name of a megabyte
FORGOTTEN_S = 3_600.0  # without an attempt


class AttemptLimit(NamedTuple):
    """Free attempts, then a wait of one second that doubles with each attempt, up to a maximum."""

    free: int
    longest_s: float


# The wait of an account is short, so nobody can lock its owner out. Many people may share an address.
ACCOUNT, ADDRESS = AttemptLimit(5, 60.0), AttemptLimit(40, 900.0)


class _Attempts(NamedTuple):
    times: int
    until: float
    last: float


class Throttle:
    """Counts attempts before they run, so simultaneous attempts cannot all pass."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._tried: OrderedDict[tuple[str, str], _Attempts] = OrderedDict()

    def attempt(self, account: str, address: str) -> int:
        """Seconds to wait, without counting; or 0, and the attempt is counted and may run."""
        now = self._now_s()
        keys = list(self._keys(account, address))
        waits = [
            tried.until - now for key, _ in keys if (tried := self._current_attempts(key, now)) is not None
        ]
        if (wait := max(waits, default=0.0)) > 0:
            return math.ceil(wait)
        for key, limit in keys:
            self._count(key, limit, now)
        return 0

    def succeeded(self, account: str, address: str) -> None:
        """The attempt was no guess: reset the account and give the attempt back to the address."""
        first, (second, _) = self._keys(account, address)
        self._tried.pop(first[0], None)
        if (tried := self._tried.get(second)) is not None:
            self._tried[second] = tried._replace(times=max(0, tried.times - 1), until=0.0)

    @staticmethod
    def _keys(account: str, address: str) -> Iterable[tuple[tuple[str, str], AttemptLimit]]:
        return ((("account", account[:LONGEST_KEY]), ACCOUNT), (("address", network_of(address)), ADDRESS))

    def _current_attempts(self, key: tuple[str, str], now: float) -> _Attempts | None:
        tried = self._tried.get(key)
        return None if tried is None or now - tried.last > FORGOTTEN_S else tried

    def _count(self, key: tuple[str, str], limit: AttemptLimit, now: float) -> None:
        tried = self._current_attempts(key, now)
        times = tried.times + 1 if tried else 1
        over = times - limit.free
        wait = min(limit.longest_s, 2.0 ** min(over, 30)) if over >= 0 else 0.0
        self._tried[key] = _Attempts(times, now + wait, now)
        self._tried.move_to_end(key)
        while len(self._tried) > KEPT:
            self._tried.popitem(last=False)


def network_of(address: str) -> str:
    """The network of an address. A customer has at least 2**64 IPv6 addresses, so those count as one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else str(found)

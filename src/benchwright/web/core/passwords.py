"""Password hashes: argon2id with the library's default cost, at most two at a time.

A hash takes 64 MiB and 0.2 s of processor time, so twenty simultaneous logins would take 1.3 GB.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from benchwright.errors import UsageError
from benchwright.web.core.refusals import Refusal

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

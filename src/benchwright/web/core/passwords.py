"""Passwords: argon2id at its library's usual cost, and never more than two at a time.

One hash takes 64 MiB and 0.2 s of processor time, so twenty logins at once would take 1.3 GB.
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
WAITING = 64  # people who wait for their turn; more are asked to come again
SHORTEST, LONGEST = 10, 256  # characters


class Passwords:
    """Hashes and compares, in threads of its own. `hasher` is changed by tests that need many."""

    def __init__(self, hasher: PasswordHasher | None = None) -> None:
        self._hasher = hasher or PasswordHasher()
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="password")
        self._waiting = 0

    async def hashed(self, password: str) -> str:
        """What is stored. Raises Refusal where too many wait."""
        return await self._in_turn(self._hasher.hash, password)

    async def match(self, stored: str | None, password: str) -> bool:
        """Whether it is the password; where no account is of that name, the same work is done for nothing."""
        if stored is None:
            await self._in_turn(self._hasher.hash, password)
            return False
        return await self._in_turn(self._matches, stored, password)

    def outdated(self, stored: str) -> bool:
        """Whether it was made at another cost than today's, so that it should be made anew."""
        return self._hasher.check_needs_rehash(stored)

    def _matches(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (VerificationError, InvalidHashError):
            return False

    async def _in_turn(self, work: Callable[..., T], *words: str) -> T:
        if self._waiting >= WAITING:
            raise Refusal(
                503, "Too many people log in at this moment", "Wait a little and try again.", retry_s=10
            )
        self._waiting += 1
        try:
            return await asyncio.wrap_future(self._threads.submit(work, *words))
        finally:
            self._waiting -= 1

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=True)


def check_password(password: str, name: str) -> None:
    """Raises UsageError for one that is too short, too long, or only the name."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(
            f"a password has {SHORTEST} to {LONGEST} characters", hint="four or five plain words"
        )
    if password.casefold().strip() == name.casefold().strip():
        raise UsageError("a password is not the name", hint="four or five plain words")

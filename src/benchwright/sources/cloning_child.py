"""The process that clones one repository; it reads a `CloneRequest` from standard input.

It fetches only the newest commits of the server's default branch, the requested number of them, without other
branches, if the transport can do that. A requested commit is fetched in the same way if the server allows it;
otherwise all branches and tags are fetched with their history. Requested references are fetched with their
whole history.
"""

from __future__ import annotations

import errno
import os
import re
import resource
import signal
import socket
import stat
import sys
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pygit2

from benchwright.sandbox.inside import linux
from benchwright.sources.clones import without_password
from benchwright.sources.cloning import TOO_LARGE, CloneRequest
from benchwright.store.process_limits import lower

MEMORY = 4 << 30
ROOM = 64 << 20  # for a pack's index, and for its last block
CONNECT_MS, SILENCE_MS = 30_000, 120_000
BRANCH = "refs/heads/fetched"
EVERYTHING = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]
_COMMIT_ID = re.compile(r"[0-9a-f]{40}")


class PackTooLargeError(Exception):
    """The pack exceeds its limit."""


class FetchWatch(pygit2.RemoteCallbacks):
    """Callbacks that abort a fetch that is too large, or redirected to another host or port."""

    def __init__(self, wish: CloneRequest) -> None:
        super().__init__()
        self._most, self._host = wish.max_bytes, urlsplit(wish.address).hostname
        self._ports: set[int] = set()

    def transfer_progress(self, stats: Any) -> None:
        """Raise PackTooLargeError above the limit."""
        if stats.received_bytes > self._most:
            raise PackTooLargeError

    def certificate_check(self, certificate: Any, valid: bool, host: bytes) -> bool:
        """Refuse invalid certificates, and every other host or port than that of the address.

        Redirects within the host lead to renamed repositories. One to another place could reach hosts and
        servers that only this machine can reach. The library does not report the port: the first connection
        is that of the address, and later ones must use its port. The library calls this before it sends
        anything there.
        """
        ports = _connected_ports()
        self._ports = self._ports or ports
        return valid and host.decode("utf-8", "replace").lower() == self._host and ports <= self._ports


def _connected_ports() -> set[int]:
    """The remote ports of this process's connections."""
    found = set()
    for number in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):
            if not stat.S_ISSOCK(os.fstat(number).st_mode):
                continue  # `socket` would fail and leave its copy open
            with socket.socket(fileno=os.dup(number)) as copy:
                if copy.family in (socket.AF_INET, socket.AF_INET6):
                    found.add(copy.getpeername()[1])
    return found


def main() -> int:
    """Clone. The exit code reports success, standard error the reason of a failure."""
    wish = msgspec.json.decode(sys.stdin.buffer.read(), type=CloneRequest)
    _limit(wish)
    try:
        _fetch(wish)
    except PackTooLargeError:
        return TOO_LARGE
    except (pygit2.GitError, KeyError, ValueError, OSError, MemoryError) as error:
        reason = str(error) or type(error).__name__
        sys.stderr.write(reason)
        return TOO_LARGE if os.strerror(errno.EFBIG) in reason else 1
    return 0


def _limit(wish: CloneRequest) -> None:
    # The parent ends this process in time, unless it is killed itself.
    linux.die_with_parent()
    signal.alarm(int(wish.seconds) + 5)
    lower(resource.RLIMIT_AS, MEMORY)
    lower(resource.RLIMIT_CORE, 0)
    # Not every transport reports its progress; the written bytes are limited for all of them.
    lower(resource.RLIMIT_FSIZE, wish.max_bytes + ROOM)
    pygit2.settings.server_connect_timeout = CONNECT_MS
    pygit2.settings.server_timeout = SILENCE_MS
    pygit2.settings.mwindow_size = 32 << 20  # the default maps 1 GiB at once
    pygit2.settings.mwindow_mapped_limit = 1 << 30


def _fetch(wish: CloneRequest) -> None:
    repository = pygit2.init_repository(wish.folder, bare=True)
    repository.remotes.create("origin", without_password(wish.address))
    remote = repository.remotes.create_anonymous(wish.address)
    # The local transport refuses to leave history out.
    depth = wish.depth if urlsplit(wish.address).scheme != "file" else 0
    watch = FetchWatch(wish)
    if wish.references:
        remote.fetch([f"+{each}:{each}" for each in wish.references], callbacks=watch, proxy=True)
        remote.fetch([f"+HEAD:{BRANCH}"], callbacks=watch, proxy=True)
    elif _COMMIT_ID.fullmatch(wish.commit) and depth:
        try:
            remote.fetch([f"+{wish.commit}:{BRANCH}"], callbacks=watch, depth=depth, proxy=True)
        except pygit2.GitError:
            remote.fetch(EVERYTHING, callbacks=watch, proxy=True)  # not every server gives single commits
    elif wish.commit:
        remote.fetch(EVERYTHING, callbacks=watch, proxy=True)
    else:
        remote.fetch([f"+HEAD:{BRANCH}"], callbacks=watch, depth=depth, proxy=True)
    if BRANCH in repository.references:
        repository.set_head(BRANCH)


if __name__ == "__main__":
    sys.exit(main())

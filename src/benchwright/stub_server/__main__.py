"""The stub server as a child: a Setup on stdin's first line, the URL on stdout, its end with stdin."""

from __future__ import annotations

import asyncio
import sys

import msgspec

from benchwright.errors import BenchwrightError
from benchwright.stub_server.service import ServerSetup, serve


def main() -> int:
    """Serve for the process that has started this one."""
    setup = msgspec.json.decode(sys.stdin.buffer.readline(), type=ServerSetup)
    try:
        asyncio.run(serve(setup, _print_url, _stdin_ends))
    except BenchwrightError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except KeyboardInterrupt:  # Ctrl-C reaches parent and child alike; the parent decides
        return 130
    return 0


def _print_url(url: str) -> None:
    sys.stdout.write(f"{url}\n")
    sys.stdout.flush()


async def _stdin_ends() -> None:
    """A thread reads, since an event loop cannot watch every kind of stdin."""
    await asyncio.to_thread(sys.stdin.buffer.read)


if __name__ == "__main__":
    sys.exit(main())

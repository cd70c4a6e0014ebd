"""A site in a separate process, on a socket, started as the command does."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kit.processes import HANG_S

PROGRAM = """
import json, sys
from pathlib import Path
from benchwright.web.core.application import make_application
from benchwright.web.core.database import open_database
from benchwright.web.core.invitations import setup_token
from benchwright.web.core.serving import ListenOptions, address_of_socket, open_socket, serve, served_hosts
from benchwright.web.core.site import SiteSettings

database, listening = open_database(sys.argv[1]), ListenOptions(**json.loads(sys.argv[2]))
token = database.write_now(setup_token)
opened = open_socket(listening)
settings = SiteSettings(secure=listening.secure, hosts=served_hosts(listening, opened))
application = make_application([], database, settings)
address = address_of_socket(listening, opened)
serve(application, listening, opened, lambda: print(json.dumps([address, token]), flush=True))
database.close()
print("ended")
"""


class WebServer:
    """A running site. `address` is its URL, `token` creates its first account."""

    def __init__(self, place: str | Path, **listening: Any) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(place), json.dumps(listening, default=str)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate(timeout=HANG_S)[1])
        self.address, self.token = json.loads(line)

    def peak_mb(self) -> int:
        """Return its peak memory so far."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) >> 10

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str, str]:
        """Ask it to end; return its exit code and its output."""
        self.process.send_signal(how)
        out, err = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, out, err

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=HANG_S)

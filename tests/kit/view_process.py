"""A live view in a separate process, started from the command line, and a run that grows while it is shown."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchwright.stub_server import Script, StubServer
from kit.processes import HANG_S
from kit.small_data import ANSWERS, gold_of, name_of

ENDS = ("passed", "wrong", "passed", "exception", "no_code", "passed")


class ViewProcess:
    """`benchwright view` on a folder."""

    command = "view"

    def __init__(self, folder: Path, *words: object) -> None:
        command = [sys.executable, "-m", "benchwright", self.command, str(folder), "--json", *map(str, words)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError(self.process.communicate(timeout=HANG_S)[1])
        self.address: str = json.loads(line)["address"]

    def end(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Ask it to end; return its exit code and its stderr."""
        self.process.send_signal(how)
        _, err = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, err

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=HANG_S)


class ServeProcess(ViewProcess):
    """`benchwright serve` on a folder, with its index next to the folder."""

    command = "serve"

    def __init__(self, folder: Path, *words: object) -> None:
        super().__init__(folder, "--database", folder.parent / "serve.sqlite", *words)


def answer_text(number: int, outcome: str) -> str:
    """Return the text of an answer to a small task with this outcome."""
    return ANSWERS[outcome].replace("{gold}", gold_of(number)).replace("{name}", name_of(number))


def script(ends: tuple[str, ...] = ENDS) -> Script:
    """Return an answer to each small task, each with one outcome."""
    return Script.of({f"def {name_of(number)}(": answer_text(number, end) for number, end in enumerate(ends)})


class GrowingRun:
    """`benchwright run` against a separate server, in a process group that can be killed."""

    def __init__(self, folder: Path, data: Path, server: StubServer, *words: object) -> None:
        self.folder = folder
        command: list[object] = [
            *(sys.executable, "-m", "benchwright", "run", "humaneval", "--data", data, "--n", 1),
            *(
                "--model",
                "openai:stub",
                "--base-url",
                server.base_url,
                "--out",
                folder,
                "--workers",
                1,
                *words,
            ),
        ]
        self.process = subprocess.Popen(
            list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
        )

    def kill(self) -> None:
        """Kill it, as a power failure would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=HANG_S)

    def finish(self) -> Any:
        """Wait for its end; return its output."""
        said, _ = self.process.communicate(timeout=HANG_S)
        assert self.process.returncode == 0, said.decode()
        return said.decode()

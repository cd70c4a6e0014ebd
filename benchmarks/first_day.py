"""From nothing to the first score of one's own model: how many commands, how long, how much disk.

    ./run bench first-day            # the wheel is built, then installed and used as a stranger would
    ./run bench first-day --way uvx

Each way begins with an empty home, as an ordinary user where root asks for it, with system tools alone.
The packages come from the package index. The model is the stub server, since nobody has one here.
The commands are those of docs/getting-started.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.stub_server import Script, StubServer

ROOT = Path(__file__).resolve().parents[1]
NOBODY = 65534
STEP_S = 400.0
ROW = {
    "task_id": "Own/0",
    "prompt": 'def twice(x: int) -> int:\n    """Twice x."""\n',
    "entry_point": "twice",
    "canonical_solution": "    return x * 2\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n    assert candidate(-3) == -6\n",
}
RUN = "run humaneval --data rows.jsonl --model openai:my-model --base-url {address} --json"
# The commands of each way; {wheel} stands for `benchwright`, which the index has not yet.
WAYS = {
    "pip": ("python3 -m venv bench", "bench/bin/pip install {wheel}", f"bench/bin/benchwright {RUN}"),
    "uvx": (f"uvx --from {{wheel}} benchwright {RUN}",),
}
SERVER = 1  # one more command, where the model is not served already


class Day(NamedTuple):
    """A first day: its commands, seconds on the wall, MB on the disk after each of them, and the score.

    An empty environment holds pip and setuptools already: what the package adds comes after it.
    """

    way: str
    commands: int
    wall_s: float
    megabytes: tuple[float, ...]
    added_mb: float
    score: dict[str, Any]


def first_day(words: Sequence[str]) -> int:
    """The command; its exit code. Prints one JSON document a way."""
    parser = argparse.ArgumentParser(prog="./run bench first-day", description=__doc__.partition("\n")[0])
    parser.add_argument("--way", choices=sorted(WAYS), action="append", help="pip or uvx; both without")
    parser.add_argument("--wheel", type=Path, help="a wheel that is there already")
    asked = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as made:
        wheel = asked.wheel or build_wheel(Path(made))
        for way in asked.way or sorted(WAYS):
            print(json.dumps(live(way, wheel)._asdict()), flush=True)
    return 0


def build_wheel(folder: Path) -> Path:
    """The package's wheel, built by uv. Raises PrerequisiteError, BenchwrightError."""
    _checked([uv(), "build", "--quiet", "--wheel", "--out-dir", str(folder), str(ROOT)])
    (wheel,) = folder.glob("*.whl")
    return wheel


def uv() -> str:
    """uv of the clone, else of the machine. Raises PrerequisiteError."""
    own = ROOT / ".uv/bin/uv"
    found = str(own) if own.is_file() else shutil.which("uv")
    if found is None:
        raise PrerequisiteError("uv is not installed, which builds the wheel", hint="pip install uv")
    return found


def live(way: str, wheel: Path) -> Day:
    """One first day, in a folder that is gone afterwards. Raises BenchwrightError where a command fails."""
    with tempfile.TemporaryDirectory() as made, _server() as address:
        home = Path(made)
        own = shutil.copy(wheel, home)
        (home / "rows.jsonl").write_text(json.dumps(ROW) + "\n")
        if way == "uvx":
            (home / "tools").mkdir()
            shutil.copy(uv(), home / "tools/uv")
            shutil.copy(Path(uv()).with_name("uvx"), home / "tools/uvx")
        _hand_over(home)
        before = _megabytes(home)
        sizes, wall_s = [], 0.0
        for line in WAYS[way]:
            began = time.monotonic()
            out = _checked(_as_stranger(line.format(wheel=own, address=address), home), cwd=home)
            wall_s += time.monotonic() - began
            sizes.append(round(_megabytes(home) - before, 1))
        empty = sizes[0] if way == "pip" else 0.0
        return Day(
            way, len(sizes) + SERVER, round(wall_s, 1), tuple(sizes), round(sizes[-1] - empty, 1), _score(out)
        )


@contextmanager
def _server() -> Iterator[str]:
    with StubServer(Script.of({"def twice(": ["    return x + x\n"]})) as server:
        yield server.base_url


def _hand_over(home: Path) -> None:
    """The folder and what is in it to the stranger, who must be able to come so far."""
    home.chmod(0o755)
    if os.geteuid() == 0:
        for path in (home, *home.rglob("*")):
            os.chown(path, NOBODY, NOBODY)


def _as_stranger(line: str, home: Path) -> list[str]:
    """The line for a shell with an empty environment, by nobody where root asks."""
    user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    variables = {
        "HOME": str(home),
        "PATH": f"{home / 'tools'}:/usr/local/bin:/usr/bin:/bin",
        "LANG": "C.UTF-8",
    }
    variables |= {name: value for name, value in os.environ.items() if name.endswith(("_PROXY", "_proxy"))}
    kept = ("SSL_CERT_FILE", "PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX")
    variables |= {name: os.environ[name] for name in kept if name in os.environ}
    pairs = [f"{name}={value}" for name, value in variables.items()]
    return [*(user if os.geteuid() == 0 else []), "env", "-i", *pairs, "sh", "-c", line]


def _checked(command: list[str], cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=STEP_S, check=False)
    if done.returncode:
        last = "\n".join((done.stderr or done.stdout).splitlines()[-5:])
        raise BenchwrightError(f"`{command[-1]}` ended with exit code {done.returncode}: {last}")
    return done.stdout


def _megabytes(folder: Path) -> float:
    """What the files take, each once however many names it has."""
    found = {
        (held.st_dev, held.st_ino): held.st_blocks * 512
        for held in (path.lstat() for path in folder.rglob("*"))
    }
    return sum(found.values()) / 1e6


def _score(out: str) -> dict[str, Any]:
    """The metrics of the document that --json printed."""
    metrics: dict[str, Any] = json.loads(out)["metrics"]
    return metrics


if __name__ == "__main__":
    sys.exit(first_day(sys.argv[1:]))

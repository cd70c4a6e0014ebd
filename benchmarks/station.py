"""A judging station under load: judges in a closed loop, three votes a submit, on SQLite and on PostgreSQL.

    python -m benchmarks.station [--judges 20] [--items 500] [--pause 0] [--database URL] [--json]

Each judge is a session that opens a page, reads the token out of it and submits three grades, as htmx does,
until nothing is left. Told are the server's processor time a submit, waiting times, memory, and whether each
item has as many votes as it should, none lost and none doubled.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from benchwright.web.core.accounts import join, make_account
from benchwright.web.core.application import make_application
from benchwright.web.core.authentication import begin_session
from benchwright.web.core.clock import MonotonicClock
from benchwright.web.core.database import open_database
from benchwright.web.core.pages import SESSION, cookie_name, form_token
from benchwright.web.station.application import PARTS, ROUTES, station_settings
from benchwright.web.station.vote_records import votes_of

_PAGE = re.compile(r'name="page" value="([^"]+)"')
_FIELDS = ("logic", "accuracy", "format")
ROOT = Path(__file__).parents[1]


class Running:
    """The station in a process of its own."""

    def __init__(self, run: Path, database: str, *words: str) -> None:
        command = [sys.executable, "-m", "benchwright", "judge", "serve", str(run), "--json", *words]
        begun = time.perf_counter()
        self.process = subprocess.Popen([*command, "--database", database], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.told = json.loads(self.process.stdout.readline())
        self.start_cpu_s, self.start_s = self.cpu_s(), time.perf_counter() - begun

    def cpu_s(self) -> float:
        """Processor seconds so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self, which: str = "VmRSS") -> float:
        """Memory now, or the most so far (VmHWM)."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.partition(f"{which}:")[2].split()[0]) / 1024

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        assert self.process.wait(60) == 0


def make_judges(database: str, project: str, number: int) -> tuple[list[str], str]:
    """Sessions of so many judges of the project, and the name of their cookie."""
    opened = open_database(database, PARTS)
    now = MonotonicClock()()

    cookie = cookie_name(make_application(ROUTES, opened, station_settings()).state.site, SESSION)

    def make(session: Any) -> list[str]:
        found = []
        for each in range(number):
            account = make_account(session, f"judge{each}", "!", now)
            join(session, project, account.id, "judge")
            found.append(begin_session(session, account.id, now, address="127.0.0.1", browser="benchmark"))
        return found

    try:
        return opened.write_now(make), cookie
    finally:
        opened.close()


class Loop:
    """Judges in a closed loop, and what they saw."""

    def __init__(self, address: str, project: str, cookie: str, pause_s: float) -> None:
        self.address, self.path, self.cookie, self.pause_s = address, f"/judging/{project}", cookie, pause_s
        self.waits: list[float] = []
        self.errors: list[str] = []

    async def judge(self, secret: str, dice: random.Random) -> None:
        """Judge until nothing is left."""
        async with httpx.AsyncClient(
            base_url=self.address, cookies={self.cookie: secret}, timeout=120
        ) as client:
            page = (await client.get(self.path)).text
            csrf = form_token(secret)
            while "say-logic" in page:
                token = _PAGE.search(page)
                assert token is not None
                form = {"csrf": csrf, "page": token[1], "step": "submit", "comment": ""}
                form.update({f"say-{name}": str(dice.randint(1, 5)) for name in _FIELDS})
                begun = time.perf_counter()
                answer = await client.post(self.path, data=form, headers={"hx-request": "true"})
                self.waits.append(time.perf_counter() - begun)
                if answer.status_code != 200:
                    self.errors.append(f"{answer.status_code}: {answer.text[:200]}")
                    return
                page = answer.text
                if self.pause_s:
                    await asyncio.sleep(dice.uniform(0.5, 1.5) * self.pause_s)

    async def all(self, secrets: list[str]) -> None:
        """All judges at once."""
        await asyncio.gather(
            *(self.judge(secret, random.Random(place)) for place, secret in enumerate(secrets))
        )


def measure(database: str, *, judges: int, items: int, pause_s: float, folder: Path) -> dict[str, Any]:
    """One load on one database, which must be empty."""
    sys.path.insert(0, str(ROOT / "tests"))
    from kit.station_kit import comment_run  # noqa: PLC0415 (the tests' own runs)

    run = comment_run(folder / "run", items)
    words = ("--judgements", str(judges), "--repeat", "0", "--seed", "benchmark")
    first = Running(run, database, *words)
    project = first.told["project"]["project_id"]
    first.stop()
    secrets, cookie = make_judges(database, project, judges)
    server = Running(run, database, *words)
    loop = Loop(server.told["address"], project, cookie, pause_s)
    before, begun, memory = server.cpu_s(), time.perf_counter(), server.memory_mb()
    asyncio.run(loop.all(secrets))
    cpu_s, wall_s = server.cpu_s() - before, time.perf_counter() - begun
    after, most = server.memory_mb(), server.memory_mb("VmHWM")
    server.stop()
    opened = open_database(database, PARTS)
    votes = opened.read_now(lambda session: list(votes_of(session, project)))
    opened.close()
    waits, wanted = sorted(loop.waits), judges * items * len(_FIELDS)
    return {
        "database": database.partition(":")[0] if "://" in database else "sqlite",
        "judges": judges,
        "items": items,
        "pause_s": pause_s,
        "submits": len(waits),
        "votes": len(votes),
        "lost": wanted - len({(vote.judge, vote.item, vote.field) for vote in votes}),
        "double": len(votes) - len({(vote.judge, vote.item, vote.field) for vote in votes}),
        "errors": loop.errors[:5],
        "cpu_ms_a_submit": round(1000 * cpu_s / len(waits), 2),
        "p50_ms": round(1000 * waits[len(waits) // 2]),
        "p95_ms": round(1000 * waits[int(0.95 * len(waits))]),
        "max_ms": round(1000 * waits[-1]),
        "wall_s": round(wall_s, 1),
        "start_cpu_s": round(server.start_cpu_s, 2),
        "memory_mb": {"start": round(memory), "end": round(after), "most": round(most)},
        "load": os.getloadavg()[0],
    }


def main() -> None:
    """Measure, and print a document a database."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--judges", type=int, default=20)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--pause", type=float, default=0.0, help="mean seconds after each submit")
    parser.add_argument("--database", default="sqlite", help="sqlite, or the address of an empty PostgreSQL")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        database = str(folder / "station.sqlite") if given.database == "sqlite" else given.database
        print(
            json.dumps(
                measure(database, judges=given.judges, items=given.items, pause_s=given.pause, folder=folder)
            )
        )


if __name__ == "__main__":
    main()

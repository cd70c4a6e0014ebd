"""`benchwright serve` under load: index, first page, leaderboards, and many pages on a live run.

    python -m benchmarks.serve --verdicts RUN... [--runs 200] [--keep FOLDER] [--json]

RUN are finished runs of one track whose verdicts are repeated, such as those of `benchwright demo`. Run
folders are written by the project's own writers: 164 tasks with ten answers each, and one run with 1,000.
The figures are processor seconds of the server and its child processes, and waiting times of readers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec

from benchmarks.measure import SAMPLE_S, tree_memory
from benchwright.records import Answer, Outcome, Score, SelfCheck, Verdict
from benchwright.running.scoring import count_verdicts
from benchwright.stats.metrics import pass_metrics
from benchwright.store.runfolder import RunFolder

TASKS = 164
LARGE = 1000 * TASKS  # answers of the large run
SETS = 8  # sets of comparable runs
ROOT = Path(__file__).parents[1]
_BOARD = re.compile(r'href="(/boards/[0-9a-f]+)"')


def verdict_rows(sources: Sequence[Path], model: int, number: int) -> Iterator[Verdict]:
    """The verdicts of a model: those of the runs in turn, each model more often from the first."""
    runs = [list(RunFolder.read(path).verdicts()) for path in sources]
    for at in range(number):
        source = runs[(at * 7 + model * 3) % 10 * len(runs) // (10 + model % 5)]
        row = source[(at + model) % len(source)]
        task, sample = divmod(at, -(-number // TASKS))  # a finished run has a task's answers together
        yield msgspec.structs.replace(
            row, task_id=f"task/{task}", sample=sample, key=f"{model}-{at}", profile="strict", scores={}
        )


def write_run(path: Path, sources: Sequence[Path], model: int, number: int) -> None:
    """A finished run."""
    identity = {
        "track": "humaneval",
        "form": "default",
        "data": f"{model % SETS:064x}",
        "excluded": [],
        "model": {"scheme": "openai", "name": f"model-{model // SETS}"},
        "n": number // TASKS,
        "profile": "strict",
        "judging": 1,
        "prompts": {"design": "row"},
    }
    manifest = {"identity": identity, "model": f"openai:model-{model // SETS}", "tasks": None}
    with RunFolder.open(path, manifest, mode="new") as run:
        rows = list(verdict_rows(sources, model, number))
        with run.verdict_writer() as verdicts, run.answer_writer() as answers:
            verdicts.append_all(rows)
            answers.append_all(
                Answer(key=row.key, task_id=row.task_id, sample=row.sample, model="m", text="    return 1\n")
                for row in rows
            )
        outcomes, ends, *_ = count_verdicts(iter(rows), lambda _task, _sample: "")
        counts = {
            task: (len(each), sum(one.outcome is Outcome.passed for one in each))
            for task, each in ends.items()
        }
        check = SelfCheck(gold_passed=TASKS, gold_total=TASKS, stub_passed=0, stub_total=TASKS)
        score = Score(
            run=path.name,
            track="humaneval",
            model=f"openai:model-{model // SETS}",
            profile="strict",
            metrics=pass_metrics(counts, [1, 10]),
            outcomes=dict(sorted(outcomes.items())),
            self_check=check,
            answers=number,
            missing=sum(count for name, count in outcomes.items() if Outcome(name).is_missing),
        )
        run.write_json("scores.json", score)
        run.note(
            started="2026-11-21T04:17:52.504+00:00", finished=f"2026-11-21T05:{model % 60:02d}:00.000+00:00"
        )


def write_runs(folder: Path, sources: Sequence[Path], number: int, *, large: bool) -> None:
    """So many runs of ten answers to a task, and one of 1,000 if `large`."""
    for model in range(number):
        write_run(folder / f"run-{model:03d}", sources, model, 10 * TASKS)
    if large:
        write_run(folder / "large", sources, 0, LARGE)


class Server:
    """The server in a process of its own."""

    def __init__(self, runs: Path, database: Path) -> None:
        command = [
            sys.executable,
            "-m",
            "benchwright",
            "serve",
            str(runs),
            "--json",
            "--database",
            str(database),
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
        assert self.process.stdout is not None
        self.address = json.loads(self.process.stdout.readline())["address"]
        self._most = {"server": 0.0, "all": 0.0}
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch)
        self._watcher.start()

    def cpu_s(self, *, children: bool = True) -> float:
        """Processor seconds of the server so far, with those of its children."""
        pids = [self.process.pid, *(_children(self.process.pid) if children else [])]
        return sum(map(_cpu_s, pids))

    def memory_mb(self) -> dict[str, float]:
        """The most memory so far, of the server alone and with its children; shared pages count once."""
        return dict(self._most)

    def _watch(self) -> None:
        """Sample the memory (PSS) until the server is ended; some children end before it."""
        while not self._ended.wait(SAMPLE_S):
            own = tree_memory([self.process.pid]).mib
            whole = own + tree_memory(_children(self.process.pid)).mib
            for name, number in (("server", own), ("all", whole)):
                self._most[name] = max(self._most[name], number)

    def end(self) -> None:
        """Stop it."""
        self._ended.set()
        self._watcher.join()
        self.process.terminate()
        self.process.wait(30)


def _children(pid: int) -> list[int]:
    return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _cpu_s(pid: int) -> float:
    """Processor seconds of a process and of the children that it waited for; 0 if it has just ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


async def _index(client: httpx.AsyncClient, server: Server) -> dict[str, float]:
    begun, before = time.perf_counter(), server.cpu_s()
    while "still being read" in (await client.get("/")).text:
        await asyncio.sleep(1)
    return {"cpu_s": server.cpu_s() - before, "wall_s": time.perf_counter() - begun}


async def _board(client: httpx.AsyncClient, server: Server, path: str, rounds: int = 50) -> dict[str, float]:
    begun, before = time.perf_counter(), server.cpu_s()
    while "being computed" in (await client.get(path)).text:
        await asyncio.sleep(0.5)
    first = {"first_cpu_s": server.cpu_s() - before, "first_wall_s": time.perf_counter() - begun}
    before = server.cpu_s()
    for number in range(rounds):  # each address is drawn anew: the figures are cached, the page is not
        find = "".join(char.upper() if number >> at & 1 else char for at, char in enumerate("model-"))
        await client.get(path, params={"find": find})
    return {**first, "cpu_ms": 1000 * (server.cpu_s() - before) / rounds}


async def _large_page(client: httpx.AsyncClient) -> None:
    """Open the page of the large run, if there is one, and follow it until all its answers were read."""
    listed = (await client.get("/", params={"find": "large"})).text
    found = re.search(r'href="/runs/([0-9a-f]+)">large<', listed)
    if found is None:
        return
    await client.get(f"/runs/{found[1]}")
    async with client.stream("GET", f"/runs/{found[1]}/stream") as response:
        async for line in response.aiter_lines():
            field, _, value = line.partition(":")
            if field == "data" and json.loads(value).get("matching") == LARGE:
                return


async def _readers(address: str, readers: int = 20, pages: int = 25) -> dict[str, float]:
    """Waiting times of readers who open the first page, think half a second, and open it again."""
    waits: list[float] = []

    async def read(number: int) -> None:
        async with httpx.AsyncClient(base_url=address, timeout=60) as client:
            await asyncio.sleep(number / readers / 2)
            for _ in range(pages):
                begun = time.perf_counter()
                (await client.get("/")).raise_for_status()
                waits.append(time.perf_counter() - begun)
                await asyncio.sleep(0.5)

    await asyncio.gather(*(read(number) for number in range(readers)))
    waits.sort()
    return {"p50_ms": 1000 * waits[len(waits) // 2], "p95_ms": 1000 * waits[int(0.95 * len(waits))]}


async def _live(
    server: Server, runs: Path, sources: Sequence[Path], pages: int = 50, seconds: float = 20
) -> float:
    """The share of a core that the server takes while pages follow a run with ten answers a second."""
    rows = list(verdict_rows(sources, 3, 4000))
    identity = {
        "track": "humaneval",
        "data": "e" * 64,
        "profile": "strict",
        "n": 10,
        "model": {"name": "live"},
    }
    manifest = {"identity": identity, "model": "openai:live", "planned": {"answers": 4000}}
    async with httpx.AsyncClient(base_url=server.address, timeout=60, limits=httpx.Limits()) as client:
        with RunFolder.open(runs / "live", manifest, mode="new") as run:
            _add(run, rows[:1000])
            key = await _live_key(client)
            followers = [asyncio.create_task(_follow(client, f"/runs/{key}/stream")) for _ in range(pages)]
            await asyncio.sleep(5)
            before, begun = server.cpu_s(), time.perf_counter()
            for at in range(1000, 1000 + int(10 * seconds)):
                _add(run, rows[at : at + 1])
                await asyncio.sleep(0.1)
            share = (server.cpu_s() - before) / (time.perf_counter() - begun)
            for each in followers:
                each.cancel()
            await asyncio.gather(*followers, return_exceptions=True)
    return share


def _add(run: RunFolder, rows: Sequence[Verdict]) -> None:
    with run.answer_writer() as answers:
        answers.append_all(
            Answer(key=row.key, task_id=row.task_id, sample=row.sample, model="m", text="x") for row in rows
        )
    with run.verdict_writer() as verdicts:
        verdicts.append_all(rows)


async def _live_key(client: httpx.AsyncClient) -> str:
    while True:
        found = re.search(r'href="/runs/([0-9a-f]+)">live<', (await client.get("/")).text)
        if found:
            return found[1]
        await asyncio.sleep(1)


async def _follow(client: httpx.AsyncClient, path: str) -> None:
    async with client.stream("GET", path) as response:
        async for _ in response.aiter_bytes():
            pass


async def measure(runs: Path, database: Path, sources: Sequence[Path]) -> dict[str, Any]:
    """All figures."""
    server = Server(runs, database)
    try:
        async with httpx.AsyncClient(base_url=server.address, timeout=600) as client:
            figures: dict[str, Any] = {"start_cpu_s": server.cpu_s(), "index": await _index(client, server)}
            boards = _BOARD.findall((await client.get("/")).text)
            figures["board"] = await _board(client, server, boards[0])
            await _large_page(client)
        before = server.cpu_s()
        figures["first_page"] = await _readers(server.address)
        figures["first_page"]["cpu_ms"] = (server.cpu_s() - before) * 1000 / 500
        figures["memory_mb"] = server.memory_mb()
        figures["live_share"] = await _live(server, runs, sources)
        figures["memory_after_live_mb"] = server.memory_mb()
    finally:
        server.end()
    return figures


def main() -> None:
    """Write the runs, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", nargs="+", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--keep", type=Path, help="folder of the written runs, used again if it exists")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = chosen.keep or Path(scratch) / "runs"
        if not runs.exists():
            write_runs(runs, chosen.verdicts, chosen.runs, large=True)
        figures = asyncio.run(measure(runs, Path(scratch) / "serve.sqlite", chosen.verdicts))
    print(json.dumps(figures, indent=None if chosen.json else 2))


if __name__ == "__main__":
    main()

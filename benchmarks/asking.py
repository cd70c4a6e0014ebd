"""Cost of asking a live model for the asking machine: processor time per request, and constant memory.

The stub server is in a separate process, so that neither its time nor the interpreter's lock is shared. A run
asks and stores as `benchwright run` does, without judging, in a new process.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks import environment
from benchmarks.dataset import REPOSITORY
from benchmarks.figures import Spread, spread
from benchmarks.measure import peak_mib
from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import BenchwrightError
from benchwright.models.spec import parse_model
from benchwright.store.keys import content_key
from benchwright.store.writing import Appender
from benchwright.stub_server import Script, StubServer

N = 10
LIMIT_S = 600.0
GOAL_MS, GOAL_GROWTH = 3.0, 1.1
PROMPT = "Complete the function.\n\n" + 'def solve(numbers):\n    """Give the sum of the even ones."""\n' * 12
ANSWERS = ["```python\ndef solve(numbers):\n" + f"    return {number}\n" * 20 + "```" for number in range(N)]


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """Cost of one run of asking. `start_cpu_s` is the time that the process used before it asked."""

    requests: int
    concurrency: int
    cpu_s: float
    wall_s: float
    start_cpu_s: float
    peak_mib: float

    @property
    def cpu_ms(self) -> float:
        """Processor time per request, of all threads."""
        return 1000 * self.cpu_s / self.requests


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of `./run bench asking`."""

    machine: environment.Machine
    rounds: int
    requests: int
    concurrency: int
    cpu_ms: Spread
    rate: Spread  # requests a second, with the server on the same machine
    small: Taken
    large: Taken
    runs: list[Taken]

    @property
    def growth(self) -> float:
        """Peak memory of the large run divided by that of the small one."""
        return self.large.peak_mib / self.small.peak_mib


def bench(*, rounds: int, requests: int, concurrency: int, small: int, large: int) -> Report:
    """Measure; each run has its own server, so that all servers have equal work."""
    machine = environment.describe()
    runs = [run(requests, concurrency) for _ in range(rounds)]
    return Report(
        machine=machine,
        rounds=rounds,
        requests=requests,
        concurrency=concurrency,
        cpu_ms=spread(each.cpu_ms for each in runs),
        rate=spread(each.requests / each.wall_s for each in runs),
        small=run(small, concurrency),
        large=run(large, concurrency),
        runs=runs,
    )


def run(requests: int, concurrency: int) -> Taken:
    """Run once in a new process. Raises BenchwrightError unless each request was answered once."""
    script = Script.of({"def solve(": ANSWERS})
    with StubServer(script, within="process") as server:
        command = [
            sys.executable,
            "-m",
            "benchmarks.asking",
            server.base_url,
            str(requests),
            str(concurrency),
        ]
        done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, check=False, timeout=LIMIT_S)
        asked = server.stats()["requests"]
    if done.returncode or asked != requests:
        raise BenchwrightError(f"{asked} requests instead of {requests}, exit code {done.returncode}")
    return msgspec.json.decode(done.stdout, type=Taken)


def take(base_url: str, requests: int, concurrency: int, folder: Path) -> Taken:
    """Ask this number of prompts in this process, and store the answers in `folder`."""
    from benchwright.models.http import connection  # noqa: F401, PLC0415 (so that its import is not in the time)

    model = parse_model("openai:stub", asking=RequestOptions(base_url=base_url, concurrency=concurrency))
    start_cpu_s, started = time.process_time(), time.monotonic()
    with Appender(folder / "answers.jsonl") as answers:
        for answer in model.answer(prompts(requests), {}):
            answers.append(answer)
    return Taken(
        requests=requests,
        concurrency=concurrency,
        cpu_s=time.process_time() - start_cpu_s,
        wall_s=time.monotonic() - started,
        start_cpu_s=start_cpu_s,
        peak_mib=peak_mib(),
    )


def prompts(number: int) -> Iterator[Prompt]:
    """Yield prompts with content keys one by one, as a run does."""
    for position in range(number):
        task, sample = divmod(position, N)
        text = f"{PROMPT}# {task}\n"
        yield Prompt(key=content_key(text, sample), task_id=task, sample=sample, text=text)


def page(report: Report) -> str:
    """Return the figures as text."""
    small, large = report.small, report.large
    machine = report.machine
    return (
        f"{report.rounds} rounds of {report.requests:,} requests, {report.concurrency} in flight; medians, "
        f"with the least and greatest in brackets.\n\n"
        f"- processor time a request: {report.cpu_ms.text()} ms (goal: at most {GOAL_MS:g})\n"
        f"- requests a second, with the server on the same machine: {report.rate.text(0)}\n"
        f"- peak memory: {small.peak_mib:.1f} MiB at {small.requests:,} requests, "
        f"{large.peak_mib:.1f} MiB at {large.requests:,}: "
        f"{report.growth:.3f} times (goal: at most {GOAL_GROWTH:g})\n"
        f"- before the first request: {1000 * small.start_cpu_s:.0f} ms of processor time\n\n"
        f"Machine: {machine.cpu}, {machine.cores} cores, Linux {machine.kernel}, Python {machine.python}, "
        f"load {machine.load} at the start."
    )


def main(words: Sequence[str]) -> None:
    """Run the measured process: base URL, requests, concurrency; writes its cost to stdout."""
    base_url, requests, concurrency = words
    with TemporaryDirectory() as folder:
        taken = take(base_url, int(requests), int(concurrency), Path(folder))
    sys.stdout.buffer.write(msgspec.json.encode(taken))


if __name__ == "__main__":
    main(sys.argv[1:])

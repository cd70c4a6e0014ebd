"""An executor: `run(…, on="process")` has batches judged in another process, as on another machine.

[project.entry-points."benchwright.executors"]
process = "process_executor:ProcessExecutor"
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from benchwright.contracts import Job, Judgement
from benchwright.executing.executors import (
    ExecutorSetup,
    open_executor,
    pack_jobs,
    pack_judgements,
    unpack_jobs,
    unpack_judgements,
)

BATCH = 100  # jobs


class ProcessExecutor:
    """Starts a process for each batch. What goes in and what comes out are bytes and nothing else."""

    def __init__(self, setup: ExecutorSetup) -> None:
        self.size = setup.workers or len(os.sched_getaffinity(0))
        self._setup = msgspec.msgpack.encode(setup)

    def __enter__(self) -> "ProcessExecutor":
        return self

    def __exit__(self, *exc: object) -> None: ...

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Judgements a batch at a time. Jobs are taken from the caller as batches begin."""
        jobs = iter(jobs)
        command = [sys.executable, "-m", "process_executor"]
        while batch := list(islice(jobs, BATCH)):
            sent = msgspec.msgpack.encode([self._setup, pack_jobs(batch)])
            done = subprocess.run(command, input=sent, stdout=subprocess.PIPE, check=True)
            yield from unpack_judgements(done.stdout)


def main() -> None:
    """The other end: it uses the executor of its own machine."""
    setup, jobs = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=tuple[bytes, bytes])
    with open_executor(msgspec.msgpack.decode(setup, type=ExecutorSetup)) as executor:
        sys.stdout.buffer.write(pack_judgements(executor.judge(unpack_jobs(jobs))))


if __name__ == "__main__":
    main()

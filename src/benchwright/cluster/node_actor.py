"""The processes on a node: an actor that judges, with a worker for each core, and actors that make parts.

Ray runs the methods of these classes one at a time, in one thread. It must stay so: the workers of a pool end
with the thread that started them, and Ray's threaded and asynchronous actors end theirs.
"""

from __future__ import annotations

import contextlib
import signal

import msgspec

from benchwright.cluster.probe import probe
from benchwright.errors import PrerequisiteError
from benchwright.executing.executors import (
    LOCAL,
    ExecutorSetup,
    open_executor,
    pack_judgements,
    unpack_jobs,
)
from benchwright.version import VERSION


class NodeActor:
    """Judges batches on one node. `setup` is an encoded `ExecutorSetup`, `cores` the number of workers.

    `cores` is passed because actors of several nodes on one machine would each use all cores of the machine.
    """

    def __init__(self, setup: bytes, cores: int) -> None:
        self._setup, self._cores = setup, cores
        self._stack = contextlib.ExitStack()

    def start(self) -> bytes:
        """Open the executor. Returns encoded `NodeFacts`. Raises PrerequisiteError where no jail works."""
        signal.pthread_sigmask(signal.SIG_SETMASK, [])  # Ray blocks SIGINT, which answers would inherit
        setup = msgspec.msgpack.decode(self._setup, type=ExecutorSetup)
        local = msgspec.structs.replace(setup, workers=self._cores)
        facts = msgspec.msgpack.encode(probe(setup.jail))
        self._executor = self._stack.enter_context(open_executor(local, on=LOCAL))
        return facts

    def judge(self, jobs: bytes) -> bytes:
        """Judge the jobs of `pack_jobs`; return their judgements in the form of `pack_judgements`."""
        return pack_judgements(self._executor.judge(unpack_jobs(jobs)))

    def close(self) -> None:
        """End the workers."""
        self._stack.close()


class PartActor:
    """Makes parts of a build on one node, one at a time, for a driver with the same `version`."""

    def __init__(self, version: str) -> None:
        self._version = version

    def make(self, part: bytes) -> bytes:
        """Make the encoded part; return its encoded records, see `building.engine.process_map`."""
        from benchwright.building.engine.process_map import make_part  # noqa: PLC0415 (of another distribution)

        if self._version != VERSION:
            raise PrerequisiteError(f"the node has Benchwright {VERSION}, the driver {self._version}")
        return make_part(part)

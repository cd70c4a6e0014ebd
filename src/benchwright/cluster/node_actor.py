"""The processes on a node: an actor that judges, with a worker for each core, and actors that make parts."""

from __future__ import annotations

from functools import partial

import msgspec

from benchwright.cluster.batch_feed import BatchFeed
from benchwright.cluster.clone_copies import NodeCopies, Pieces, clone_key
from benchwright.cluster.probe import probe
from benchwright.errors import PrerequisiteError
from benchwright.executing.executors import ExecutorSetup, pack_judgements, unpack_jobs
from benchwright.executing.pool import open_local
from benchwright.version import VERSION


class NodeActor:
    """Judges batches on one node. `setup` is an encoded `ExecutorSetup`, `cores` the number of workers.

    `cores` is passed because actors of several nodes on one machine would each use all cores of the machine.
    Ray calls `judge` in several threads, one for each batch that the node has.
    """

    def __init__(self, setup: bytes, cores: int) -> None:
        decoded = msgspec.msgpack.decode(setup, type=ExecutorSetup)
        self._setup = msgspec.structs.replace(decoded, workers=cores)
        self._feed = BatchFeed(partial(open_local, self._setup))

    def start(self) -> bytes:
        """Open the pool. Returns encoded `NodeFacts`. Raises PrerequisiteError where no jail works."""
        facts = msgspec.msgpack.encode(probe(self._setup.jail))
        self._feed.start()
        return facts

    def judge(self, jobs: bytes) -> bytes:
        """Judge the jobs of `pack_jobs`; return their judgements in the form of `pack_judgements`."""
        return pack_judgements(self._feed.judge(unpack_jobs(jobs)))

    def close(self) -> None:
        """End the workers."""
        self._feed.close()


class PartActor:
    """Makes parts of a build on one node, one at a time, for a driver with the same `version`.

    `token` names the folder of copies of clones, which all actors of a map share on a node.
    """

    def __init__(self, version: str, token: str) -> None:
        self._version = version
        self._copies = NodeCopies(token)

    def has_clone(self, folder: str, key: str) -> bool:
        """Whether this node has the same clone in the same folder, by its `clone_key`."""
        return clone_key(folder) == key

    def keep(self, name: str, pieces: Pieces) -> str:
        """Append to the files of a copy of a clone; return its folder."""
        return self._copies.keep(name, pieces)

    def drop(self, name: str) -> None:
        """Remove a copy."""
        self._copies.drop(name)

    def close(self) -> None:
        """Remove all copies of this node."""
        self._copies.close()

    def make(self, part: bytes) -> bytes:
        """Make the encoded part; return its encoded records, see `building.engine.process_map`."""
        from benchwright.building.engine.process_map import make_part  # noqa: PLC0415 (of another distribution)

        if self._version != VERSION:
            message = f"the node has Benchwright {VERSION}, the driver {self._version}"
            raise PrerequisiteError(message, hint="install the same version on all nodes")
        return make_part(part)

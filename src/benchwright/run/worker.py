"""A worker: one process, one sandbox, one judge. Reads work on stdin, writes judgements on stdout.

Its own process, so that the check of a data set, or a value made to be slow, can hold up or kill
nothing but this worker, which the runner then replaces.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from typing import BinaryIO

import msgspec

from benchwright.contracts import CallSpec
from benchwright.errors import SandboxError
from benchwright.judges.python import PythonJudge
from benchwright.run import wire
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.inside import linux


def main() -> None:
    """Serve until stdin ends. Dies with the runner, however that dies; SIGTERM ends it after a clean-up."""
    linux.die_with_parent()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 16)
    target = os.fdopen(os.dup(1), "wb", buffering=0)
    _silence()
    with contextlib.suppress(KeyboardInterrupt):
        _serve(source, target)


def _serve(source: BinaryIO, target: BinaryIO) -> None:
    body = wire.read(source)
    if body is None:
        return
    setup = msgspec.msgpack.decode(body, type=wire.Setup)
    if setup.core is not None:
        os.sched_setaffinity(0, {setup.core})
    gc.freeze()
    with Sandbox(limits=setup.limits, jail=setup.jail) as sandbox:
        judge = PythonJudge(sandbox)
        decoder = msgspec.msgpack.Decoder(wire.Work)
        spec: CallSpec | None = None
        while (body := wire.read(source)) is not None:
            work = decoder.decode(body)
            spec = work.spec or spec
            if spec is not None:
                target.write(wire.frame(_judge(judge, work, spec)))


def _silence() -> None:
    """A check that prints must not write into the messages."""
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)


def _judge(judge: PythonJudge, work: wire.Work, spec: CallSpec) -> wire.Done:
    try:
        return wire.Done(number=work.number, judgement=judge.judge(work.program, spec))
    except SandboxError as error:
        return wire.Done(number=work.number, error=str(error))


if __name__ == "__main__":
    main()

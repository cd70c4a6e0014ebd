"""Writing of logs with the package's own writers: `.eval` sample by sample, `.json` at once.

A `.json` log is a document that the package builds in memory, so too large runs are rejected.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError, install_command
from benchwright.interop.inspect_ai_log.header import Header
from benchwright.interop.inspect_ai_log.package import InspectPackage, load_recorder
from benchwright.store.writing import make_parents, replacing

MAX_HELD = 256 << 20  # characters of samples that are in memory at once
MAX_HELD_SAMPLES = 20_000
_BATCH, _BATCH_CHARACTERS = 2000, 32 << 20


def write_log(package: InspectPackage, out: Path, header: Header, samples: Iterator[Any]) -> None:
    """Write the log atomically: it is written to a temporary file and then moved."""
    make_parents(out)
    with replacing(out) as file, TemporaryDirectory(prefix="benchwright-") as folder:
        made = Path(folder) / f"log{out.suffix}"
        recorder = load_recorder(folder, str(made)) if out.suffix == ".eval" else None
        if recorder is None:
            _write_whole(package, made, header, samples, out)
        else:
            asyncio.run(_write_stream(recorder, made, header, samples))
        with made.open("rb") as log:
            shutil.copyfileobj(log, file)


async def _write_stream(recorder: Any, made: Path, header: Header, samples: Iterator[Any]) -> None:
    """Each flush copies the whole file, and what is not flushed is in memory: hence batches."""
    await recorder.log_init(header.spec, str(made))
    try:
        await recorder.log_start(header.spec, header.plan)
        count = characters = 0
        for sample in samples:
            await recorder.log_sample(header.spec, sample)
            count, characters = count + 1, characters + _size(sample)
            if count >= _BATCH or characters >= _BATCH_CHARACTERS:
                await recorder.flush(header.spec)
                count = characters = 0
    except BaseException:
        if hasattr(recorder, "log_discard"):  # older versions leave their open files to the collector
            await recorder.log_discard(header.spec)
        raise
    await recorder.log_finish(header.spec, "success", header.stats, header.results, None)


def _write_whole(
    package: InspectPackage, made: Path, header: Header, samples: Iterator[Any], out: Path
) -> None:
    log = package.log.EvalLog(
        status="success",
        eval=header.spec,
        plan=header.plan,
        results=header.results,
        stats=header.stats,
        samples=_held(samples, out),
    )
    package.log.write_eval_log(log, str(made))


def _held(samples: Iterator[Any], out: Path) -> list[Any]:
    held, characters = [], 0
    for sample in samples:
        held.append(sample)
        characters += _size(sample)
        if len(held) > MAX_HELD_SAMPLES or characters > MAX_HELD:
            raise _too_large(out)
    return held


def _too_large(out: Path) -> RunError:
    limits = f"{MAX_HELD_SAMPLES:,} answers or {MAX_HELD:,} characters"
    if out.suffix == ".json":
        message = f"{escaped_path(out)}: a .json log is built in memory, and the run exceeds {limits}"
        return RunError(message, hint=f"--out {quoted(out.with_suffix('.eval'))}")
    message = f"this version of inspect-ai writes logs in one piece only, and the run exceeds {limits}"
    return RunError(message, hint=f"install another version: {install_command('inspect')}")


def _size(sample: Any) -> int:
    """Return the approximate size of a sample, which contains the answer twice."""
    return len(sample.input) + len(sample.target) + 2 * len(sample.output.completion)

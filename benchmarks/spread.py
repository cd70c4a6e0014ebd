"""`./run python -m benchmarks.spread`: what builds cost on nodes, and whether they give the same bytes.

`mining CLONE OUT` mines a clone with all parts sent as to a node, and prints the processor time of parts and
driver and the bytes sent. `builds FROM OUT` builds and verifies `codecorrectness` locally and on two nodes of
one core each, and compares all files but those that say what executions took.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.alignment import commit_parts, pipeline
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.codecorrectness.pipeline import build
from benchwright.building.codecorrectness.verification import verify
from benchwright.building.engine.process_map import PendingPart, StagePart, make_part, pack_part
from benchwright.executing.executors import LOCAL, work_on

MEASURED = ("executions", "report.json")  # parts of names of files with measured times or paths


class PartCosts(msgspec.Struct):
    """The number of parts and commits, processor seconds of parts, and bytes to a node and back."""

    parts: int = 0
    commits: int = 0
    part_s: float = 0.0
    there: int = 0
    back: int = 0


def _cpu_s() -> float:
    return sum(os.times()[:4])


def mining(clone: Path, out: Path) -> dict[str, Any]:
    """Mine a clone; the costs of its parts and of everything else."""
    costs = PartCosts()

    def counted(parts: Iterable[StagePart]) -> Iterator[Any]:
        for part in parts:
            began, body = _cpu_s(), pack_part(part)
            turn = PendingPart(part)
            turn.answer = make_part(body)
            costs.part_s += _cpu_s() - began
            costs.parts += 1
            costs.commits += len(getattr(part, "commits", ()))
            costs.there += len(body)
            costs.back += len(turn.answer)
            yield from turn.made()

    commit_parts.map_parts = counted  # type: ignore[assignment]
    began = _cpu_s()
    pipeline.build(AlignmentOptions(sources=(str(clone),), licence_unknown="keep"), out)
    copied = sum(each.stat().st_size for each in clone.rglob("objects/**/*") if each.is_file())
    disk = sum(each.stat().st_size for each in out.rglob("*") if each.is_file())
    rest = round(_cpu_s() - began - costs.part_s, 2)
    return {**msgspec.to_builtins(costs), "driver_s": rest, "clone_bytes": copied, "folder_bytes": disk}


def builds(source: Path, out: Path) -> dict[str, Any]:
    """Build and verify on this machine and on two nodes; the rows, seconds and files that differ."""
    from ray.cluster_utils import Cluster  # noqa: PLC0415 (an extra)

    options = BuildOptions(sources=(str(source),), history=60, mutants_tried=3, max_rows=400)
    store = {"object_store_memory": 80 << 20}
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **store}
    )
    for _ in range(2):
        cluster.add_node(num_cpus=1, **store)
    found: dict[str, Any] = {}
    for name, on in (("local", LOCAL), ("nodes", f"ray://{cluster.address}?trust")):
        began = time.monotonic()
        with work_on(on):
            build(options, out / name)
            report = verify(out / name / "test.json", out=out / f"{name}-verified")
        rows = {lang: sum(counts.values()) for lang, counts in report.languages.items()}
        found[name] = {"rows": rows, "agrees": report.counts["agrees"], "seconds": time.monotonic() - began}
    cluster.shutdown()
    found["differing"] = [
        f"{end}{path}"
        for end in ("", "-verified")
        for path in _differing(out / f"local{end}", out / f"nodes{end}")
    ]
    return found


def _differing(one: Path, other: Path) -> list[str]:
    names = {path.relative_to(each) for each in (one, other) for path in each.rglob("*") if path.is_file()}
    compared = sorted(each for each in names if not any(part in each.name for part in MEASURED))
    return [f"/{each}" for each in compared if _content(one / each) != _content(other / each)]


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def main() -> int:
    """Print the figures as JSON; 1 if files differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["mining", "builds"])
    parser.add_argument("source", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    shutil.rmtree(given.out, ignore_errors=True)
    found = {"mining": mining, "builds": builds}[given.what](given.source, given.out)
    sys.stdout.buffer.write(msgspec.json.format(msgspec.json.encode(found)) + b"\n")
    return 1 if found.get("differing") else 0


if __name__ == "__main__":
    sys.exit(main())

"""A self-check that holds for later runs: of which runs it is kept, where, and when it is not believed.

What it holds for is all that decides its verdicts: data, code, rules, interpreter, limits, jail, kernel, and
the start of the machine. Its rows are keyed as verdicts are, so a run of some of the tasks takes what it
needs and adds what is not there yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import msgspec

from benchwright import registry
from benchwright.contracts import ProgramSpec, Spec
from benchwright.errors import BenchwrightError, DataError
from benchwright.executing.executors import LOCAL
from benchwright.progress import Watcher
from benchwright.records import Proof
from benchwright.running.plan import Plan
from benchwright.sandbox.machine import files_identity, machine, profile_versions
from benchwright.store.keys import content_key
from benchwright.store.own_cache import drop_kept, own_cache, read_kept, write_kept
from benchwright.store.writing import decode_record
from benchwright.version import VERSION

FORMAT = 1  # of the file
_MOST = 64 << 20  # bytes of one file: some 300,000 rows
_FILES = 64  # kept self-checks; each start of the machine begins new ones
_PACKAGE = Path(__file__).parents[1]
# Whole programs beside a run: what they hold decides no verdict.
_APART = (
    *("__pycache__", "auditing", "building", "cli", "demo", "interop", "rank", "report"),
    *("sources", "stub_server", "web"),
)


class KeptCheck:
    """The cached self-check of a plan's data on this machine. Nothing here raises."""

    def __init__(self, plan: Plan, watch: Watcher, *, on: str = LOCAL) -> None:
        self._plan, self._watch, self._on = plan, watch, on

    def rows(self) -> list[Proof]:
        """Return the cached proofs; none where the cache is missing or invalid."""
        path = self._path
        if path is None:
            return []
        try:
            body = read_kept(path, most=_MOST)
            return [] if body is None else list(_read(body, path))
        except DataError as error:
            self._watch.note(f"the self-check is made anew: {error.message}")
            return []

    def keep(self, rows: Iterable[Proof]) -> None:
        """Replace the cached proofs by these, without texts that quote tasks."""
        if self._path is not None:
            body = b"".join(msgspec.json.encode(_bare(row)) + b"\n" for row in rows)
            write_kept(self._path, body, files=_FILES)

    def forget(self) -> None:
        """Delete the cached proofs: the next run checks all tasks again."""
        if self._path is not None:
            drop_kept(self._path)

    @cached_property
    def _path(self) -> Path | None:
        """None where it is unknown what the result would hold for, as for answers executed elsewhere."""
        if self._on != LOCAL:
            return None
        try:
            known = scope(self._plan)
        except (BenchwrightError, OSError):
            return None
        return None if known is None else own_cache() / "self-checks" / f"{content_key(known)}.jsonl"


def scope(plan: Plan) -> dict[str, object] | None:
    """Return everything that a self-check's result depends on.

    None for a track or judge of another package, whose version is unknown here. Raises OSError and
    BenchwrightError where this machine cannot be identified.
    """
    specs = [plan.spec(task, "strict") for task in plan.tasks.values()]
    judges = {spec.judge for spec in specs}
    if plan.options.track not in registry.TRACKS or not judges <= registry.JUDGES.keys():
        return None
    return {
        "format": FORMAT,
        "track": plan.track.name,
        "judges": sorted(judges),
        **{name: plan.identity[name] for name in ("data", "form", "limits", "judging", "python")},
        "weights": plan.weights,
        "version": VERSION,
        "code": files_identity(_PACKAGE, left_out=_APART),
        "profiles": profile_versions(_profiles(specs)),
        "machine": machine(plan.jail),
    }


def _profiles(specs: Iterable[Spec]) -> set[str]:
    return {spec.environment for spec in specs if isinstance(spec, ProgramSpec)}


def _read(body: bytes, path: Path) -> Iterator[Proof]:
    decode = msgspec.json.Decoder(Proof).decode
    for number, line in enumerate(body.splitlines(), start=1):
        yield decode_record(decode, line, path, number)


def _bare(row: Proof) -> Proof:
    """Return the row without text: output and exceptions may quote a task, and data may be hidden."""
    return msgspec.structs.replace(row, detail="", stdout="", traceback="", parts={}, how="run")

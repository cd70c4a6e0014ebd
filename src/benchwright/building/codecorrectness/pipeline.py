"""The recipe of CodeCorrectness: stages, each a file of what it kept and a file of what it dropped and why.

collect ─┬─▶ pair ───────────▶ cases ─▶ tag ─▶ filter ─▶ label ─┬────────────▶ balance ─▶ publish
         └─▶ focal ─▶ write ─▶                                  └─▶ mutate ──▶

The lower way at the left is there where a model writes tests: `BuildOptions.generate`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.building.codecorrectness.candidates import each_once, pair, sources_of, split, tag
from benchwright.building.codecorrectness.gates import GATES
from benchwright.building.codecorrectness.generated import Focal, focal_files
from benchwright.building.codecorrectness.generating import Writer, published
from benchwright.building.codecorrectness.labelling import label, mutate
from benchwright.building.codecorrectness.nouns import Candidate, Pair
from benchwright.building.codecorrectness.options import BuildOptions, check_options
from benchwright.building.codecorrectness.publishing import publish
from benchwright.building.codecorrectness.rows import balance
from benchwright.building.folder import BuildFolder
from benchwright.building.gates import admit, open_gates, versions
from benchwright.building.stages import Level, Stage, inventory, without
from benchwright.contracts import Admission, Gate, Item
from benchwright.errors import PrerequisiteError
from benchwright.executing.ledger import Ledger
from benchwright.executing.runners import Absent, Runners
from benchwright.progress import Silent, Watcher
from benchwright.records import Drop, Record
from benchwright.sources.repositories import PASSING, Repository

BUILDING = 2  # raised whenever the same sources may give other rows than before


class Built(Record, frozen=True, kw_only=True):
    """A finished build: its manifest, its funnel, and the languages that could not be executed."""

    folder: str
    manifest: dict[str, Any]
    levels: list[Level]
    absent: list[Absent]


class BuildContext(NamedTuple):
    """What the stages of one build work with."""

    options: BuildOptions
    folder: BuildFolder
    gates: list[Gate[Any]]
    writer: Writer | None
    ledger: Ledger
    runners: Runners
    watch: Watcher


def _collect(items: Iterator[Item[Any] | Drop], _: BuildContext) -> Iterator[Repository | Drop]:
    return each_once(items)


def _pair(found: Iterator[Repository], context: BuildContext) -> Iterator[Pair | Drop]:
    return pair(found, context.options.bounds)


def _focal(found: Iterator[Repository], context: BuildContext) -> Iterator[Focal | Drop]:
    most = context.writer.most if context.writer else 0
    return focal_files(found, context.options.bounds, context.runners, most=most)


def _write(focal: Iterator[Focal], context: BuildContext) -> Iterator[Pair | Drop]:
    if context.writer is None:
        return iter(())
    passed_over = (drop.unit for drop in context.folder.dropped("focal"))
    return context.writer.write(
        list(focal), context.folder.path / "replies", context.watch, passed_over=passed_over
    )


def _split(pairs: Iterator[Pair], _: BuildContext) -> Iterator[Candidate | Drop]:
    return split(pairs)


def _tag(cases: Iterator[Candidate], _: BuildContext) -> Iterator[Candidate | Drop]:
    return tag(cases)


def _filter(tagged: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop | Admission]:
    return admit(tagged, context.gates)


def _label(fit: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    repeat = context.options.repeat
    return label(fit, context.ledger, context.runners, repeat=repeat, watch=context.watch)


def _mutate(labelled: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    repeat = context.options.repeat
    return mutate(labelled, context.ledger, context.runners, repeat=repeat, watch=context.watch)


def _balance(rows: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    return balance(rows, max_rows=context.options.max_rows)


GENERATING = ("focal", "write")
STAGES: tuple[Stage[BuildContext, Any], ...] = (
    Stage("collect", Repository, _collect, "repositories", again=PASSING, bar=True),
    Stage("pair", Pair, _pair, "test files", ("collect",), bar=True, spreads=True),
    Stage("focal", Focal, _focal, "files", ("collect",), again=("absent",), spreads=True),
    Stage("write", Pair, _write, "replies", ("focal",), again=("model_error",), spreads=True),
    Stage("cases", Candidate, _split, "test cases", ("pair", "write"), bar=True, spreads=True),
    Stage("tag", Candidate, _tag, "test cases", ("cases",), bar=True),
    Stage("filter", Candidate, _filter, "test cases", ("tag",), bar=True),
    Stage("label", Candidate, _label, "rows", ("filter",), again=("absent", "sandbox_error")),
    Stage("mutate", Candidate, _mutate, "rows", ("label",), again=("mutant_absent", "mutant_sandbox_error")),
    Stage("balance", Candidate, _balance, "rows", ("label", "mutate")),
)


def build(
    options: BuildOptions, out: Path, *, runners: Runners | None = None, watch: Watcher | None = None
) -> Built:
    """Build a CodeCorrectness data set from repositories; the same call again goes on where it was ended."""
    check_options(options)
    writer = Writer(options.generate) if options.generate else None
    gates = open_gates(GATES, options.gates, options.bounds)
    sources, watch = sources_of(options), watch or Silent()
    folder = BuildFolder(out, _identity(options, writer, gates), watch=watch)
    given = inventory(sources, out, watch.note)
    with Ledger(folder.executions) as ledger, runners or Runners() as opened:
        context = BuildContext(options, folder, gates, writer, ledger, opened, watch)
        for stage in STAGES if writer else without(STAGES, *GENERATING):
            folder.run(stage, context, given=given)
        folder.write_funnel()
        _check_absent(context)
        manifest = _published(context, notes=given.notes)
    return Built(folder=str(out), manifest=manifest, levels=folder.levels, absent=opened.absent)


def _identity(options: BuildOptions, writer: Writer | None, gates: list[Gate[Any]]) -> dict[str, Any]:
    """What was not asked for is not in it: a build without it is the one that it was before there was any."""
    writing = {"generate": writer.identity()} if writer else {}
    further = {"gates": versions(gates, options.gates)} if options.gates else {}
    return {**options.identity(), **writing, **further, "building": BUILDING}


def _check_absent(context: BuildContext) -> None:
    """Where nothing has a label because nothing could be executed, say what to install."""
    if context.runners.absent and next(context.folder.kept("label", Candidate), None) is None:
        first = context.runners.absent[0]
        raise PrerequisiteError(f"no row could be executed: {first.why}", hint=first.hint or None)


def _published(context: BuildContext, *, notes: list[str]) -> dict[str, Any]:
    return publish(
        context.folder.path,
        context.folder.kept("balance", Candidate),
        options=context.options,
        repositories=list(context.folder.kept("collect", Repository)),
        levels=context.folder.levels,
        toolchains=context.ledger.toolchains,
        writer=published(context.writer.identity()) if context.writer else None,
        further={"search": notes, "gates": versions(context.gates, context.options.gates)},
    )

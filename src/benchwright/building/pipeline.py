"""The main path of a build: stages, each a file of what it kept and a file of what it dropped and why.

collect ─┬─▶ pair ───────────▶ cases ─▶ tag ─▶ filter ─▶ label ─┬────────────▶ balance ─▶ publish
         └─▶ focal ─▶ write ─▶                                  └─▶ mutate ──▶

The lower way at the left is there where a model writes tests: `Options.generate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from benchwright.building.balancing import balance
from benchwright.building.collecting import AGAIN, collect, search
from benchwright.building.filtering import keep
from benchwright.building.folder import BuildFolder
from benchwright.building.funnel import Level
from benchwright.building.generated_focal import Focal, focal_files
from benchwright.building.generating import Writer, published
from benchwright.building.labelling import label
from benchwright.building.mutating import mutate
from benchwright.building.nouns import Candidate, Pair, Repository
from benchwright.building.options import Bounds, Options, check_options
from benchwright.building.pairing import pair
from benchwright.building.publishing import publish
from benchwright.building.splitting import split, tag
from benchwright.errors import PrerequisiteError
from benchwright.executing.ledger import Ledger
from benchwright.executing.runners import Absent, Runners
from benchwright.progress import Silent, Watcher
from benchwright.records import Record
from benchwright.sources.addresses import places


class Built(Record, frozen=True, kw_only=True):
    """A finished build: its manifest, its funnel, and the languages that could not be executed."""

    folder: str
    manifest: dict[str, Any]
    levels: list[Level]
    absent: list[Absent]


def build(
    options: Options, out: Path, *, runners: Runners | None = None, watch: Watcher | None = None
) -> Built:
    """Build a CodeCorrectness data set from repositories; the same call again goes on where it was ended."""
    check_options(options)
    writer = Writer(options.generate) if options.generate else None
    writing = {"generate": writer.identity()} if writer else {}
    sources, watch = list(places(options.sources)), watch or Silent()
    folder = BuildFolder(out, {**options.identity(), **writing}, watch=watch)
    searched, notes = search(options, out / "search", watch)
    sources += searched
    do, repeat = folder.stage, options.repeat
    with Ledger(folder.executions) as ledger, runners or Runners() as opened:
        found = do(
            "collect",
            Repository,
            lambda: collect(sources, clones=out / "clones", watch=watch),
            unit="repositories",
            given=len(sources),
            again=AGAIN,
        )
        pairs = do(
            "pair",
            Pair,
            lambda: pair(found(), options.bounds),
            unit="test files",
            after=["collect"],
            bar=True,
        )
        written = _written(writer, folder, found, bounds=options.bounds, runners=opened, watch=watch)
        cases = do(
            "cases",
            Candidate,
            lambda: split(chain(pairs(), written())),
            unit="test cases",
            after=["pair", "write"] if writer else ["pair"],
            bar=True,
        )
        tagged = do("tag", Candidate, lambda: tag(cases()), unit="test cases", after=["cases"], bar=True)
        fit = do(
            "filter",
            Candidate,
            lambda: keep(tagged(), options.bounds),
            unit="test cases",
            after=["tag"],
            bar=True,
        )
        labelled = do(
            "label",
            Candidate,
            lambda: label(fit(), ledger, opened, repeat=repeat, watch=watch),
            unit="rows",
            after=["filter"],
            again=("absent", "sandbox_error"),
        )
        mutated = do(
            "mutate",
            Candidate,
            lambda: mutate(labelled(), ledger, opened, repeat=repeat, watch=watch),
            unit="rows",
            after=["label"],
            again=("mutant_absent", "mutant_sandbox_error"),
        )
        rows = do(
            "balance",
            Candidate,
            lambda: balance(chain(labelled(), mutated()), max_rows=options.max_rows),
            unit="rows",
            after=["label", "mutate"],
        )
        folder.write_funnel()
        _check_absent(opened, labelled())
        manifest = publish(
            out,
            rows(),
            options=options,
            repositories=list(found()),
            levels=folder.levels,
            toolchains=ledger.toolchains,
            writer=published(writer.identity()) if writer else None,
            notes=notes,
        )
    return Built(folder=str(out), manifest=manifest, levels=folder.levels, absent=opened.absent)


def _written(
    writer: Writer | None,
    folder: BuildFolder,
    found: Callable[[], Iterator[Repository]],
    *,
    bounds: Bounds,
    runners: Runners,
    watch: Watcher,
) -> Callable[[], Iterator[Pair]]:
    """The pairs whose test file a model wrote; none without one."""
    if writer is None:
        return lambda: iter(())
    focal = folder.stage(
        "focal",
        Focal,
        lambda: focal_files(found(), bounds, runners, most=writer.most),
        unit="files",
        after=["collect"],
        again=("absent",),
    )
    return folder.stage(
        "write",
        Pair,
        lambda: writer.write(
            list(focal()),
            folder.path / "replies",
            watch,
            passed_over=(drop.unit for drop in folder.dropped("focal")),
        ),
        unit="replies",
        after=["focal"],
        again=("model_error",),
    )


def _check_absent(opened: Runners, labelled: Iterator[Candidate]) -> None:
    """Where nothing has a label because nothing could be executed, say what to install."""
    if opened.absent and next(labelled, None) is None:
        first = opened.absent[0]
        raise PrerequisiteError(f"no row could be executed: {first.why}", hint=first.hint or None)

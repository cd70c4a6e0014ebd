"""The main path of a build: nine stages, each a file of what it kept and a file of what it dropped and why.

collect ──▶ pair ──▶ cases ──▶ tag ──▶ filter ──▶ label ──┬──────────────▶ balance ──▶ publish
                                                          └──▶ mutate ───▶
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from benchwright.build.balancing import balance
from benchwright.build.collecting import collect
from benchwright.build.executing import Ledger
from benchwright.build.filtering import keep
from benchwright.build.folder import BuildFolder
from benchwright.build.funnel import Level
from benchwright.build.labelling import label
from benchwright.build.mutating import mutate
from benchwright.build.nouns import Candidate, Pair, Repository
from benchwright.build.options import Options, check_options
from benchwright.build.pairing import pair
from benchwright.build.publishing import publish
from benchwright.build.runners import Absent, Runners
from benchwright.build.splitting import split, tag
from benchwright.errors import PrerequisiteError
from benchwright.records import Record
from benchwright.run.watch import Silent, Watcher
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
    sources, watch = list(places(options.sources)), watch or Silent()
    folder = BuildFolder(out, options.identity())
    do, repeat = folder.stage, options.repeat
    with Ledger(folder.executions) as ledger, runners or Runners() as opened:
        found = do(
            "collect",
            Repository,
            lambda: collect(sources, clones=out / "clones"),
            unit="repositories",
            given=len(sources),
        )
        pairs = do("pair", Pair, lambda: pair(found()), unit="test files", after=["collect"])
        cases = do("cases", Candidate, lambda: split(pairs()), unit="test cases", after=["pair"])
        tagged = do("tag", Candidate, lambda: tag(cases()), unit="test cases", after=["cases"])
        fit = do(
            "filter", Candidate, lambda: keep(tagged(), options.bounds), unit="test cases", after=["tag"]
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
        )
    return Built(folder=str(out), manifest=manifest, levels=folder.levels, absent=opened.absent)


def _check_absent(opened: Runners, labelled: Iterator[Candidate]) -> None:
    """Where nothing has a label because nothing could be executed, say what to install."""
    if opened.absent and next(labelled, None) is None:
        first = opened.absent[0]
        raise PrerequisiteError(f"no row could be executed: {first.why}", hint=first.hint or None)

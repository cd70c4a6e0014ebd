"""A recipe: `benchwright build languages --from CLONE --out FOLDER` makes rows of code and its language.

[project.entry-points."benchwright.recipes"]
languages = "language_recipe:RECIPE"
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import click

from benchwright.building.engine.gates import admit, gate, gate_versions, open_gates
from benchwright.building.engine.recipe import (
    MADE_BY,
    BuildResult,
    DeclaredRecipe,
    RecordKind,
    digests,
    each_once,
    inventory,
    nothing_left,
    open_sources,
    tally,
    write_card_and_manifest,
)
from benchwright.building.engine.stages import BuildFolder, Stage, write_records
from benchwright.cli.build_options import build_options, run_build
from benchwright.contracts import KEEP, Decision, Gate
from benchwright.lang.languages import language_of
from benchwright.progress import Silent, Watcher
from benchwright.records import Drop, Record
from benchwright.sources.clones import Clone, TextError
from benchwright.sources.licences import PERMISSIVE
from benchwright.sources.repositories import ClonesSource, Repository

KIND = RecordKind(Repository, "repositories", "rows")
Gates = list[Gate[Any]]  # the context of the stages


class LanguageRow(Record, frozen=True, kw_only=True):
    """A source file. Gates and drops read `unit` and `revision`."""

    unit: str
    revision: str
    licence: str
    code: str
    lang: str


@gate("languages.licence")
def licensed(row: LanguageRow, licences: Collection[str]) -> Decision:
    """Keep files of repositories under one of the licences."""
    return KEEP if row.licence in licences else Decision(reason="licence", detail=row.licence)


def collect(items: Iterator[Any], _: Gates) -> Iterator[Repository | Drop]:
    """List the repositories of all sources, each commit once."""
    return each_once(items, KIND, key=lambda each: each.commit, duplicate="same_commit")


def read(repositories: Iterator[Repository], _: Gates) -> Iterator[LanguageRow | Drop]:
    """Read the source files of each repository."""
    for repository in repositories:
        clone = Clone(Path(repository.place), commit=repository.commit)
        for file in clone.files():
            if (lang := language_of(file.path)) is None:
                continue
            unit = f"{repository.name}:{file.path}"
            try:
                code = clone.text(file, limit=100_000)
            except TextError as error:
                yield Drop(unit=unit, reason=error.reason)
                continue
            facts = {"revision": file.blob, "licence": repository.licence, "code": code}
            yield LanguageRow(unit=unit, lang=lang.name, **facts)


STAGES: tuple[Stage[Gates, Any], ...] = (
    Stage("collect", Repository, collect, "repositories", bar=True),
    Stage("read", LanguageRow, read, "files", ("collect",), spreads=True),
    Stage("admit", LanguageRow, admit, "files", ("read",)),
)


def build(options: dict[str, Any], out: Path, *, watch: Watcher | None = None) -> BuildResult:
    """Write rows.jsonl with its card and its manifest."""
    licences = options["licences"] or PERMISSIVE
    sources = open_sources(options["sources"], licences=licences, unnamed=lambda paths: [ClonesSource(paths)])
    gates = open_gates([licensed], options["gates"], licences)
    identity = {**options, "gates": gate_versions(gates, [each.name for each in gates])}
    folder = BuildFolder(out, identity, watch=watch)
    given = inventory(sources, out, (watch or Silent()).note)
    folder.run_all(STAGES, gates, given=given)
    rows = list(folder.kept("admit", LanguageRow))
    if not rows:
        raise nothing_left("row", out, folder.levels)
    write_records(out / "rows.jsonl", rows)
    languages = tally(row.lang for row in rows)
    files = digests({"rows.jsonl": out / "rows.jsonl"})
    manifest = {"made_by": MADE_BY, "languages": languages, "sha256": files}
    write_card_and_manifest(out, f"# Languages\n\n{len(rows)} source files.\n", manifest)
    return BuildResult(folder=str(out), manifest=manifest, levels=folder.levels)


@click.command()
@build_options("rows", sources="A clone, or a folder of clones; repeatable.")
def command(out: Path, as_json: bool, quiet: bool, **options: Any) -> None:
    """Build rows of code and its programming language from repositories."""
    run_build(
        lambda watch: build(options, out, watch=watch),
        as_json=as_json,
        quiet=quiet,
        sentences=lambda built: [f"{count} in {lang}" for lang, count in built.manifest["languages"].items()],
    )


RECIPE = DeclaredRecipe("languages", command, STAGES, build)

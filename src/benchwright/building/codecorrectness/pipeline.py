"""The recipe of CodeCorrectness: its stages, each with a file of kept records and a file of drops.

collect ─┬▶ pair ┬───────────▶ cases ─▶ tag ─▶ filter ─▶ label ┬───────────▶ steady ─▶ builds ─▶ balance
         │       └▶ history ─▶                                 ├▶ mutate ─▶
         └▶ focal ▶ write ───▶                                 └▶ broken ─▶

Stages focal and write run only if a model writes tests: `BuildOptions.generate`.
The rows that balance keeps are published.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.building.codecorrectness.balance import balance
from benchwright.building.codecorrectness.collect_pairs import collect_repositories, repository_sources
from benchwright.building.codecorrectness.generated_tests import (
    FocalFile,
    TestWriter,
    focal_files,
    published_identity,
)
from benchwright.building.codecorrectness.label_executions import check_flakiness
from benchwright.building.codecorrectness.label_sampling import LabelContext, label_candidates
from benchwright.building.codecorrectness.mutations import PASSING as MUTANT_PASSING
from benchwright.building.codecorrectness.mutations import MutantEffort, break_rows, mutate
from benchwright.building.codecorrectness.options import BuildOptions, check_options
from benchwright.building.codecorrectness.project_builds import Builder, untried, with_builds
from benchwright.building.codecorrectness.publish_rows import publish
from benchwright.building.codecorrectness.repository_files import ProjectFiles
from benchwright.building.codecorrectness.row_gates import all_gates
from benchwright.building.codecorrectness.row_records import Candidate, Pair
from benchwright.building.codecorrectness.stage_parts import (
    CANDIDATES,
    PAIRS,
    CasesPart,
    HistoryPart,
    PairPart,
    TagPart,
    by_repository,
    filtered,
    in_parts,
)
from benchwright.building.engine.gates import gate_versions, open_gates
from benchwright.building.engine.process_map import map_parts
from benchwright.building.engine.recipe import BuildResult, inventory
from benchwright.building.engine.stages import BuildFolder, Stage, without_stages
from benchwright.contracts import Admission, Gate, Item
from benchwright.errors import PrerequisiteError
from benchwright.executing.suite_ledger import Ledger
from benchwright.executing.suite_runners import Libraries, Runners, UnavailableLanguage
from benchwright.judges.suites.project_builds import build_project
from benchwright.progress import Silent, Watcher
from benchwright.records import Drop
from benchwright.sources.repositories import PASSING, Repository

BUILDING = 4  # increase it when the same sources may give other rows


class CorrectnessBuild(BuildResult, frozen=True, kw_only=True):
    """A finished build, with the languages that could not be executed."""

    absent: list[UnavailableLanguage]


class BuildContext(NamedTuple):
    """The context of the stages of one build."""

    options: BuildOptions
    folder: BuildFolder
    gates: list[Gate[Any]]
    writer: TestWriter | None
    ledger: Ledger
    runners: Runners
    watch: Watcher
    libraries: Libraries
    builder: Builder = untried


def _collect(items: Iterator[Item[Any] | Drop], _: BuildContext) -> Iterator[Repository | Drop]:
    return collect_repositories(items)


def _pair(found: Iterator[Repository], context: BuildContext) -> Iterator[Pair | Drop]:
    bounds = context.options.bounds
    return map_parts(PairPart(repository=each, bounds=bounds) for each in found)


def _focal(found: Iterator[Repository], context: BuildContext) -> Iterator[FocalFile | Drop]:
    most = context.writer.most if context.writer else 0
    return focal_files(found, context.options.bounds, context.runners, most=most)


def _write(focal: Iterator[FocalFile], context: BuildContext) -> Iterator[Pair | Drop]:
    if context.writer is None:
        return iter(())
    passed_over = (drop.unit for drop in context.folder.dropped("focal"))
    return context.writer.write(
        list(focal), context.folder.path / "replies", context.watch, passed_over=passed_over
    )


def _history(pairs: Iterator[Pair], context: BuildContext) -> Iterator[Pair | Drop]:
    known, options = _repositories(context), context.options
    return map_parts(
        HistoryPart(repository=known[name], pairs=mine, bounds=options.bounds, most=options.history)
        for name, mine in by_repository(pairs)
    )


def _split(pairs: Iterator[Pair], context: BuildContext) -> Iterator[Candidate | Drop]:
    known, bounds = _repositories(context), context.options.bounds
    return map_parts(
        CasesPart(repository=known[name], pairs=some, bounds=bounds)
        for name, some in by_repository(pairs, most=PAIRS)
    )


def _tag(cases: Iterator[Candidate], _: BuildContext) -> Iterator[Candidate | Drop]:
    return map_parts(TagPart(candidates=some) for some in in_parts(cases, CANDIDATES))


def _filter(tagged: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop | Admission]:
    return filtered(tagged, context.gates, context.options.bounds, context.libraries.folder)


def _label(fit: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    options = context.options
    files = ProjectFiles(_repositories(context))
    executing = LabelContext(
        context.ledger,
        context.runners,
        options.repeat,
        context.watch,
        files=files,
        refused=frozenset(options.bounds.uses),
    )
    return label_candidates(fit, options.bounds, executing)


def _mutate(labelled: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    options = context.options
    effort = MutantEffort(tried=options.mutants_tried, kept=options.mutants_kept)
    return mutate(
        labelled,
        context.ledger,
        context.runners,
        repeat=options.repeat,
        watch=context.watch,
        effort=effort,
    )


def _broken(labelled: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    part, repeat = context.options.broken, context.options.repeat
    return break_rows(
        labelled, context.ledger, context.runners, part=part, repeat=repeat, watch=context.watch
    )


def _steady(rows: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    options = context.options
    return check_flakiness(
        rows,
        context.ledger,
        context.runners,
        repeat=options.repeat,
        most=options.steady_repeat,
        keep_unproven=options.unproven == "keep",
        watch=context.watch,
    )


def _builds(rows: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    return with_builds(
        rows, _repositories(context), context.builder, context.folder.stages / "projects.jsonl"
    )


def _repositories(context: BuildContext) -> dict[str, Repository]:
    return {each.name: each for each in context.folder.kept("collect", Repository)}


def _balance(rows: Iterator[Candidate], context: BuildContext) -> Iterator[Candidate | Drop]:
    options = context.options
    return balance(rows, max_rows=options.max_rows, mix=options.mix, shots=options.shots)


GENERATING = ("focal", "write")
MADE = ("label", "mutate", "broken")
STAGES: tuple[Stage[BuildContext, Any], ...] = (
    Stage("collect", Repository, _collect, "repositories", again=PASSING, bar=True),
    Stage("pair", Pair, _pair, "test files", ("collect",), bar=True, spreads=True),
    Stage("focal", FocalFile, _focal, "files", ("collect",), again=("absent",), spreads=True),
    Stage("write", Pair, _write, "replies", ("focal",), again=("model_error",), spreads=True),
    Stage("history", Pair, _history, "test files", ("pair",), bar=True, spreads=True),
    Stage("cases", Candidate, _split, "test cases", ("pair", "write", "history"), bar=True, spreads=True),
    Stage("tag", Candidate, _tag, "test cases", ("cases",), bar=True),
    Stage("filter", Candidate, _filter, "test cases", ("tag",), bar=True),
    Stage("label", Candidate, _label, "rows", ("filter",), again=("absent", "sandbox_error")),
    Stage("mutate", Candidate, _mutate, "rows", ("label",), again=MUTANT_PASSING, spreads=True),
    Stage("broken", Candidate, _broken, "rows", ("label",), again=("broken_absent", "broken_sandbox_error")),
    Stage("steady", Candidate, _steady, "rows", MADE, again=("absent", "sandbox_error")),
    Stage("builds", Candidate, _builds, "rows", ("steady",), bar=True),
    Stage("balance", Candidate, _balance, "rows", ("builds",)),
)


def build(
    options: BuildOptions,
    out: Path,
    *,
    runners: Runners | None = None,
    watch: Watcher | None = None,
    builder: Builder | None = None,
) -> CorrectnessBuild:
    """Build a CodeCorrectness data set from repositories; the same call resumes an interrupted build.

    `runners` and `builder` replace the sandboxed execution of rows and building of projects. With `runners`
    alone, no project is built.
    """
    check_options(options)
    if builder is None:
        builder = build_project if options.project_builds and runners is None else untried
    writer = TestWriter(options.generate) if options.generate else None
    libraries = Libraries(options.libraries)
    gates = open_gates(all_gates(libraries), options.gates, options.bounds)
    sources, watch = repository_sources(options), watch or Silent()
    folder = BuildFolder(out, _identity(options, writer, gates, libraries), watch=watch)
    given = inventory(sources, out, watch.note)
    with Ledger(folder.executions) as ledger, runners or Runners(libraries=libraries.folder) as opened:
        context = BuildContext(options, folder, gates, writer, ledger, opened, watch, libraries, builder)
        folder.run_all(without_stages(STAGES, *_left_out(options)), context, given=given)
        _check_absent(context)
        manifest = _published(context, notes=given.notes)
    return CorrectnessBuild(folder=str(out), manifest=manifest, levels=folder.levels, absent=opened.absent)


def _left_out(options: BuildOptions) -> list[str]:
    """The stages that were not requested."""
    return [
        *(() if options.generate else GENERATING),
        *(() if options.history else ("history",)),
        *(() if options.broken else ("broken",)),
    ]


def _identity(
    options: BuildOptions, writer: TestWriter | None, gates: list[Gate[Any]], libraries: Libraries
) -> dict[str, Any]:
    """The identity of the build, without options that are off, so that it equals that of earlier versions."""
    writing = {"generate": writer.identity()} if writer else {}
    further = {"gates": gate_versions(gates, options.gates)} if options.gates else {}
    library_list = {"libraries": found} if (found := libraries.listed()) else {}
    return {**options.identity(), **writing, **further, **library_list, "building": BUILDING}


def _check_absent(context: BuildContext) -> None:
    """Raise PrerequisiteError with an install hint if nothing could be executed."""
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
        writer=published_identity(context.writer.identity()) if context.writer else None,
        further={
            "search": notes,
            "gates": gate_versions(context.gates, context.options.gates),
            "libraries": context.libraries.listed(),
        },
    )

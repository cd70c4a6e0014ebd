"""`benchwright build codecorrectness --from FOLDER… --out DIR`: its options, bounds and messages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from benchwright.building.codecorrectness.naive_baselines import baseline_warnings, pattern_warnings
from benchwright.building.codecorrectness.options import BuildOptions, GeneratedTestOptions, RowBounds
from benchwright.building.codecorrectness.pipeline import STAGES, CorrectnessBuild, build
from benchwright.building.codecorrectness.quotas import MOST, Quotas, read_mix
from benchwright.building.engine.recipe import DeclaredRecipe
from benchwright.cli.arguments import Command, Option, SectionedCommand, not_empty, not_empty_each
from benchwright.cli.build_options import build_options, libraries_option, run_build
from benchwright.cli.model_options import asking_settings, model_options
from benchwright.cli.place_options import place_options
from benchwright.cli.shell_completion import files, models
from benchwright.display.escape import markup, quoted
from benchwright.display.wording import counted
from benchwright.errors import UsageError, command_name
from benchwright.lang.languages import LANGUAGES
from benchwright.lang.nondeterminism import USES
from benchwright.sources.github.search_pages import GITHUB, RepositorySearch

C = TypeVar("C", bound=Callable[..., Any])
_DEFAULT = RowBounds()
_bound = partial(click.option, cls=Option, section="Bounds on rows", rare=True)
_COUNT = click.IntRange(min=1)
_OPTIONS = (
    _bound(
        "--licence-unknown",
        type=click.Choice(("keep", "drop")),
        default=_DEFAULT.licence_unknown,
        show_default=True,
        help="Keep or drop clones without a known licence, such as your own; the card reports them.",
    ),
    _bound(
        "--focal-chars",
        type=_COUNT,
        default=_DEFAULT.focal_chars,
        help="Characters of a focal file, at most.",
    ),
    _bound(
        "--test-chars", type=_COUNT, default=_DEFAULT.test_chars, help="Characters of a test file, at most."
    ),
    _bound("--asserts", type=_COUNT, default=_DEFAULT.asserts, help="Checks in a test file, at most."),
    _bound(
        "--cases-per-file",
        type=_COUNT,
        default=_DEFAULT.a_focal_file,
        help="Labelled test cases of one focal file, at most; what gets no label takes no place.",
    ),
    _bound(
        "--cases-per-repository",
        type=_COUNT,
        default=_DEFAULT.a_repository,
        help="Labelled test cases of one repository, at most.",
    ),
    _bound(
        "--likeness",
        type=click.FloatRange(0, 1, min_open=True),
        default=_DEFAULT.likeness,
        help="Share of tokens' runs in common from which two tests of like focal files count as one.",
    ),
    _bound(
        "--uses",
        multiple=True,
        metavar="[no-]USE",
        help=f"Allow a use that rows may not have ({', '.join(_DEFAULT.uses)}) or, after no-, forbid another "
        f"({', '.join(use for use in USES if use not in _DEFAULT.uses)}); repeatable.",
    ),
)


def bound_options(command: C) -> C:
    """The command with an option for each bound."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def bounds_of(given: Mapping[str, Any], licences: tuple[str, ...]) -> RowBounds:
    """The bounds of the options. Raises UsageError for an unknown use."""
    return RowBounds(
        licences=licences or _DEFAULT.licences,
        licence_unknown=given["licence_unknown"],
        focal_chars=given["focal_chars"],
        test_chars=given["test_chars"],
        asserts=given["asserts"],
        a_focal_file=given["cases_per_file"],
        a_repository=given["cases_per_repository"],
        likeness=given["likeness"],
        uses=_refused_uses(given["uses"]),
    )


def _refused_uses(changes: Iterable[str]) -> tuple[str, ...]:
    """The uses that rows may not have, by default and as changed."""
    refused = set(_DEFAULT.uses)
    for change in changes:
        use = change.removeprefix("no-")
        if use not in USES:
            hint = f"one of: {', '.join(USES)}; the prefix no- forbids a use"
            raise UsageError(f"--uses {change}: unknown use", hint=hint)
        (refused.add if change.startswith("no-") else refused.discard)(use)
    return tuple(sorted(refused))


_DEFAULT_SEARCH = RepositorySearch(languages=())
_search = partial(click.option, cls=Option, section="Repositories found on GitHub", rare=True)
_SEARCH_OPTIONS = (
    _search(
        "--github",
        "languages",
        multiple=True,
        type=click.Choice(LANGUAGES, case_sensitive=False),
        help="Search for repositories in this language; repeatable. GITHUB_TOKEN or GH_TOKEN is used if set.",
    ),
    _search(
        "--stars",
        callback=not_empty,
        metavar="RANGE",
        help=f"Range of stars: 100.., 10..500, ..500.  [default: {_DEFAULT_SEARCH.stars}]",
    ),
    _search(
        "--pushed-since",
        callback=not_empty,
        metavar="DATE",
        help="Date of the last push, or later: 2025-01-31.",
    ),
    _search(
        "--max-repositories",
        type=click.IntRange(min=1),
        help=f"Maximum for each language, most stars first.  [default: {_DEFAULT_SEARCH.most}]",
    ),
    _search(
        "--github-api",
        callback=not_empty,
        metavar="URL",
        help=f"API address of an Enterprise Server.  [default: $GITHUB_API_URL or {GITHUB}]",
    ),
)
_NEEDED = {
    "stars": "--stars",
    "pushed_since": "--pushed-since",
    "max_repositories": "--max-repositories",
    "github_api": "--github-api",
}


def search_options(command: Command) -> Command:
    """Add the options of a search to a command."""
    for option in reversed(_SEARCH_OPTIONS):
        command = option(command)
    return command


def search_of(
    given: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> RepositorySearch | None:
    """The requested search. Raises UsageError for an option of a search without --github."""
    environment = os.environ if environment is None else environment
    set_ = [name for name in _NEEDED if given[name] is not None]
    if not given["languages"]:
        if set_:
            hint = f"--github {LANGUAGES[0]} {_NEEDED[set_[0]]} {given[set_[0]]}"
            raise UsageError(f"{_NEEDED[set_[0]]} needs --github", hint=hint)
        return None
    api = given["github_api"] or environment.get("GITHUB_API_URL") or GITHUB
    return RepositorySearch(
        languages=tuple(dict.fromkeys(given["languages"])),
        stars=given["stars"] or _DEFAULT_SEARCH.stars,
        pushed_since=given["pushed_since"] or "",
        most=given["max_repositories"] or _DEFAULT_SEARCH.most,
        api=api.strip().rstrip("/"),
    )


_natural = partial(click.option, cls=Option, section="Failures and steadiness", rare=True)
_generate = partial(click.option, cls=Option, section="Tests written by a model", rare=True)
_described = partial(click.option, cls=Option, section="Card and documents", rare=True)
_choose = partial(click.option, cls=Option, section="Which rows are chosen", rare=True)


_OF_MIX = ("strict", "uneven", "repository_share", "file_rows")


@click.command(
    cls=SectionedCommand,
    often=("--github", "--generate"),
    context_settings={"show_default": True},
    short_help="Code and a test: does the test pass?",
)
@build_options(
    "rows",
    place="FOLDER",
    sources="A clone, a folder of clones, a list of clones and addresses, an address, or an installed "
    "source NAME:REST; repeatable.",
)
@place_options
@click.argument("more", metavar="[FOLDER]…", nargs=-1, shell_complete=files)
@_choose(
    "--repeat",
    type=click.IntRange(min=2),
    default=5,
    show_default=True,
    help="Number of executions for each label.",
)
@_choose(
    "--mutants-tried",
    type=click.IntRange(min=1),
    default=12,
    help="Mutants to try for each passing row.",
)
@_choose(
    "--mutants-kept",
    type=click.IntRange(min=1),
    default=1,
    help="Mutants to keep for each passing row and label, at most.",
)
@click.option("--max-rows", type=click.IntRange(min=2), help="Maximum number of rows, including shots.")
@_described("--name", default="CodeCorrectness", show_default=True, help="Name of the data set in its card.")
@_described(
    "--maintainer",
    "maintainers",
    multiple=True,
    callback=not_empty_each,
    metavar="NAME",
    help="Maintainer of the data set for MERA's documents; repeatable.",
)
@libraries_option
@bound_options
@_choose(
    "--mix",
    callback=not_empty,
    metavar="KIND=PERCENT,…",
    help="Maximum share of the failed rows for each kind.  [default: "
    f"{','.join(f'{kind}={most}' for kind, most in MOST.items())}]",
)
@_choose(
    "--strict-mix",
    "strict",
    is_flag=True,
    help="Enforce --mix, and equal labels in each kind, even if that drops more than half of the rows.",
)
@_choose(
    "--uneven-kinds",
    "uneven",
    is_flag=True,
    help="Also pair a passing row with a failing row of another kind. Gives more rows, but the kind then "
    "hints at the label.",
)
@_choose(
    "--repository-share",
    type=click.FloatRange(min=0, max=100, min_open=True),
    default=Quotas().repository_share,
    metavar="PERCENT",
    help="Maximum share of the rows from one repository, if there are enough repositories.",
)
@_choose(
    "--rows-per-file",
    "file_rows",
    type=click.IntRange(min=2),
    default=Quotas().file_rows,
    help="Maximum number of rows for one focal file, all versions together.",
)
@search_options
@_natural(
    "--history",
    type=click.IntRange(min=0),
    default=200,
    metavar="COMMITS",
    help="Commits of each repository to search for changes of a focal file; 0: none. Clones from addresses "
    "are that deep.",
)
@_natural(
    "--broken",
    type=click.FloatRange(0, 1),
    default=0.1,
    metavar="PART",
    help="Share of the passing rows that also give a row with a compile error or an unknown name; 0: none.",
)
@_natural(
    "--steady-repeat",
    type=click.IntRange(min=1),
    default=20,
    help="Number of executions for rows that depend on time, threads or identity.",
)
@_natural(
    "--unproven",
    type=click.Choice(("keep", "drop")),
    default="keep",
    help="Keep or drop rows that may have a race which no execution has shown.",
)
@_natural(
    "--project-builds/--no-project-builds",
    default=True,
    help="Build the repository of each row in the sandbox, and record the result in meta.builds.",
)
@_generate(
    "--generate",
    callback=not_empty,
    shell_complete=models,
    metavar="MODEL",
    help="A model that writes more tests: openai:NAME, transformers:FOLDER, or replay:FOLDER for the "
    "stored replies of another build.",
)
@_generate(
    "--tests-per-file",
    type=click.IntRange(min=1),
    default=2,
    help="Test files to request for each focal file; each may give several rows.",
)
@_generate(
    "--files-asked",
    type=click.IntRange(min=1),
    default=40,
    help="Maximum number of focal files of a repository to request tests for.",
)
@model_options
def codecorrectness(
    sources: tuple[str, ...],
    more: tuple[str, ...],
    out: Path,
    licences: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    max_rows: int | None,
    repeat: int,
    **given: Any,
) -> None:
    """Build a CodeCorrectness data set from clones of repositories.

    Files are read from commits of the clones and executed only inside the sandbox. Every drop is counted
    and listed. The same command resumes an interrupted build and executes nothing twice.

    \b
    benchwright build codecorrectness --from clones --out data/mine --max-rows 200
    benchwright build codecorrectness --github Go --stars 100.. --out data/go
    benchwright build codecorrectness --from clones --out data/more \\
        --generate openai:my-model --base-url http://localhost:8000/v1
    benchwright build codecorrectness --from clones --out data/again \\
        --generate replay:data/more/replies
    """
    options = BuildOptions(
        sources=(*sources, *more),
        search=search_of(given),
        bounds=bounds_of(given, licences),
        repeat=repeat,
        mutants_tried=given["mutants_tried"],
        mutants_kept=given["mutants_kept"],
        max_rows=max_rows,
        mix=_mix(given),
        name=given["name"],
        maintainers=given["maintainers"],
        gates=given["gates"],
        history=given["history"],
        broken=given["broken"],
        steady_repeat=given["steady_repeat"],
        unproven=given["unproven"],
        project_builds=given["project_builds"],
        libraries=given["libraries"] or "",
        generate=_generating(given),
    )
    run_build(
        lambda watch: build(options, out, watch=watch),
        as_json=as_json,
        quiet=quiet,
        sentences=_sentences,
        details=_details,
    )


def _mix(given: dict[str, Any]) -> Quotas:
    failures = read_mix(given["mix"]) if given["mix"] is not None else dict(MOST)
    return Quotas(failures=failures, **{name: given[name] for name in _OF_MIX})


def _generating(given: dict[str, Any]) -> GeneratedTestOptions | None:
    if given["generate"] is None:
        return None
    counts = {"tests": given["tests_per_file"], "files": given["files_asked"]}
    return GeneratedTestOptions(model=given["generate"], asking=asking_settings(given), **counts)


def _details(built: CorrectnessBuild) -> dict[str, Any]:
    return {"absent": {each.lang: "; ".join(filter(None, (each.why, each.hint))) for each in built.absent}}


def _warnings(manifest: Mapping[str, Any]) -> list[str]:
    """Warnings for the publisher of the data set."""
    shape = manifest["shape"].get("warning")
    mix = [f"{each}; see --mix and the card" for each in manifest["contents"]["warnings"]]
    styles = [*baseline_warnings(manifest["readers"]), *pattern_warnings(manifest["patterns"])]
    return [*filter(None, [shape]), *styles, *mix]


def _sentences(built: CorrectnessBuild) -> list[str]:
    rows, folder = built.manifest["rows"], Path(built.folder)
    parts = (built.manifest[name].items() for name in ("labels", "languages", "subsets"))
    counts = "; ".join(", ".join(f"{count} {name}" for name, count in each) for each in parts)
    lines = [f"{each.lang} was not executed: {markup(each.why)}" for each in built.absent]
    lines.append(
        f"[bold]{counted(rows['test'], 'row')}[/] and {counted(rows['shots'], 'shot')}: {markup(counts)}"
    )
    lines += [f"[bold]warning:[/] {markup(each)}" for each in _warnings(built.manifest)]
    lines.append(f"written: {markup(str(folder))}; the card is README.md, drops are listed in stages/")
    lines.append(f"check it: {command_name()} verify {markup(quoted(folder / 'test.json'))}")
    return lines


RECIPE = DeclaredRecipe("codecorrectness", codecorrectness, STAGES, build)

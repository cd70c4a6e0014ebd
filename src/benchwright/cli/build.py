"""`benchwright build TRACK --from FOLDER… --out DIR`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchwright.building.codecorrectness.mix import MOST, Mix, read_mix
from benchwright.building.codecorrectness.options import BuildOptions, Generating
from benchwright.building.codecorrectness.patterns import pattern_warnings
from benchwright.building.codecorrectness.pipeline import STAGES, Built, build
from benchwright.building.codecorrectness.readers import reader_warnings
from benchwright.building.recipe import DeclaredRecipe
from benchwright.cli.arguments import Command, Option, SectionedCommand, not_empty, not_empty_each
from benchwright.cli.asking import asking_of, model_options
from benchwright.cli.bounds import bound_options, bounds_of
from benchwright.cli.build_options import build_options, libraries_option, run_build
from benchwright.cli.completing import files, models
from benchwright.display.escape import markup, quoted
from benchwright.errors import UsageError, command_name
from benchwright.lang.languages import LANGUAGES
from benchwright.sources.github.query import GITHUB, Search

# The options of a search for repositories, and what is made of them.

_DEFAULT_SEARCH = Search(languages=())
_search = partial(click.option, cls=Option, section="Repositories found on GitHub")
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
        help=f"At least and at most so many: 100.., 10..500, ..500.  [default: {_DEFAULT_SEARCH.stars}]",
    ),
    _search(
        "--pushed-since",
        callback=not_empty,
        metavar="DATE",
        help="Last push on this day or later: 2025-01-31.",
    ),
    _search(
        "--max-repositories",
        type=click.IntRange(min=1),
        help=f"Of each language, those with most stars that may be used.  [default: {_DEFAULT_SEARCH.most}]",
    ),
    _search(
        "--github-api",
        callback=not_empty,
        metavar="URL",
        help=f"The interface of an Enterprise Server.  [default: $GITHUB_API_URL or {GITHUB}]",
    ),
)
_NEEDED = {
    "stars": "--stars",
    "pushed_since": "--pushed-since",
    "max_repositories": "--max-repositories",
    "github_api": "--github-api",
}


def search_options(command: Command) -> Command:
    """The command with the options of a search."""
    for option in reversed(_SEARCH_OPTIONS):
        command = option(command)
    return command


def search_of(given: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Search | None:
    """The search that was asked for. Raises UsageError for an option of a search where there is none."""
    environment = os.environ if environment is None else environment
    set_ = [name for name in _NEEDED if given[name] is not None]
    if not given["languages"]:
        if set_:
            hint = f"--github {LANGUAGES[0]} {_NEEDED[set_[0]]} {given[set_[0]]}"
            raise UsageError(
                f"{_NEEDED[set_[0]]} says what to search for, and nothing is searched", hint=hint
            )
        return None
    api = given["github_api"] or environment.get("GITHUB_API_URL") or GITHUB
    return Search(
        languages=tuple(dict.fromkeys(given["languages"])),
        stars=given["stars"] or _DEFAULT_SEARCH.stars,
        pushed_since=given["pushed_since"] or "",
        most=given["max_repositories"] or _DEFAULT_SEARCH.most,
        api=api.strip().rstrip("/"),
    )


# `benchwright build TRACK --from FOLDER… --out DIR`.

_natural = partial(click.option, cls=Option, section="Failures and steadiness")
_generate = partial(click.option, cls=Option, section="Tests written by a model")
_choose = partial(click.option, cls=Option, section="Which rows are chosen")


_OF_MIX = ("strict", "uneven", "repository_share", "file_rows")


@click.command(
    cls=SectionedCommand,
    context_settings={"show_default": True},
    short_help="Code and a test: does the test pass?",
)
@build_options(
    "rows",
    place="FOLDER",
    sources="A clone, a folder of clones, a list of clones and addresses, an address, or an installed "
    "source, NAME:REST; repeatable.",
)
@click.argument("more", metavar="[FOLDER]…", nargs=-1, shell_complete=files)
@click.option(
    "--repeat", type=click.IntRange(min=2), default=5, show_default=True, help="Executions behind each label."
)
@click.option(
    "--mutants-tried",
    type=click.IntRange(min=1),
    default=12,
    show_default=True,
    help="Changes of its code that are tried on a passing row.",
)
@click.option(
    "--mutants-kept",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Rows of each label that such changes may give for a passing row.",
)
@click.option("--max-rows", type=click.IntRange(min=2), help="At most so many rows, shots among them.")
@click.option("--name", default="CodeCorrectness", show_default=True, help="The name in the card.")
@click.option(
    "--maintainer",
    "maintainers",
    multiple=True,
    callback=not_empty_each,
    metavar="NAME",
    help="Who maintains the set, as MERA's documents name them; repeatable.",
)
@libraries_option
@bound_options
@_choose(
    "--mix",
    callback=not_empty,
    metavar="KIND=PERCENT,…",
    help="At most so much of the failed rows, of each kind.  [default: "
    f"{','.join(f'{kind}={most}' for kind, most in MOST.items())}]",
)
@_choose(
    "--strict-mix",
    "strict",
    is_flag=True,
    help="Keep to --mix, and labels even in each kind, even if that leaves out more than half of the rows.",
)
@_choose(
    "--uneven-kinds",
    "uneven",
    is_flag=True,
    help="Also set a passing row of one kind against a failing one of another: more rows, of which a changed "
    "focal file says something.",
)
@_choose(
    "--repository-share",
    type=click.FloatRange(min=0, max=100, min_open=True),
    default=Mix().repository_share,
    metavar="PERCENT",
    help="Of the rows, at most so much from one repository, where there are enough repositories.",
)
@_choose(
    "--rows-per-file",
    "file_rows",
    type=click.IntRange(min=2),
    default=Mix().file_rows,
    help="Rows of one focal file at most, all its versions together.",
)
@search_options
@_natural(
    "--history",
    type=click.IntRange(min=0),
    default=200,
    metavar="COMMITS",
    help="Commits of a repository in which changes of a focal file are looked for; 0: none. Of an address "
    "as many are cloned.",
)
@_natural(
    "--broken",
    type=click.FloatRange(0, 1),
    default=0.1,
    metavar="PART",
    help="Of this part of the passing rows one is made that does not parse, compile or know a name; 0: none.",
)
@_natural(
    "--steady-repeat",
    type=click.IntRange(min=1),
    default=20,
    help="Executions of rows that hang on time, threads or identity.",
)
@_natural(
    "--unproven",
    type=click.Choice(("keep", "drop")),
    default="keep",
    help="What becomes of rows whose pattern is a race that no execution has shown.",
)
@_natural(
    "--project-builds/--no-project-builds",
    default=True,
    help="Build each repository that rows come from, in the sandbox, and tell in meta.builds.",
)
@_generate(
    "--generate",
    callback=not_empty,
    shell_complete=models,
    metavar="MODEL",
    help="A model that writes further tests: openai:NAME, transformers:FOLDER, or replay:FOLDER, the "
    "stored replies of another build.",
)
@_generate(
    "--tests-per-file",
    type=click.IntRange(min=1),
    default=2,
    help="Test files asked for, of each focal file; each may hold several rows.",
)
@_generate(
    "--files-asked",
    type=click.IntRange(min=1),
    default=40,
    help="Focal files of a repository that are asked about, at most.",
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

    Files are read from the clones' commits; nothing of them is executed outside the sandbox. All that was
    left out is counted and named. The same command goes on where it was ended and executes nothing twice.

    \b
    benchwright build codecorrectness --from clones --out data/mine
    benchwright build codecorrectness --from boltons --from inflect --out data/mine --max-rows 200
    benchwright build codecorrectness --from list.txt --out data/mine --licence MIT --json
    benchwright build codecorrectness --github Go --stars 100.. --pushed-since 2025-01-01 --out data/go
    benchwright build codecorrectness --from clones --out data/more --generate openai:my-model \\
        --base-url http://localhost:8000/v1 --tests-per-file 2
    benchwright build codecorrectness --from clones --out data/again --generate replay:data/more/replies
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


def _mix(given: dict[str, Any]) -> Mix:
    failures = read_mix(given["mix"]) if given["mix"] is not None else dict(MOST)
    return Mix(failures=failures, **{name: given[name] for name in _OF_MIX})


def _generating(given: dict[str, Any]) -> Generating | None:
    if given["generate"] is None:
        return None
    counts = {"tests": given["tests_per_file"], "files": given["files_asked"]}
    return Generating(model=given["generate"], asking=asking_of(given), **counts)


def _details(built: Built) -> dict[str, Any]:
    return {"absent": {each.lang: "; ".join(filter(None, (each.why, each.hint))) for each in built.absent}}


def _warnings(manifest: Mapping[str, Any]) -> list[str]:
    """What whoever publishes the set should know of it first."""
    shape = manifest["shape"].get("warning")
    mix = [f"{each}; see --mix and the card" for each in manifest["contents"]["warnings"]]
    styles = [*reader_warnings(manifest["readers"]), *pattern_warnings(manifest["patterns"])]
    return [*filter(None, [shape]), *styles, *mix]


def _sentences(built: Built) -> list[str]:
    rows, folder = built.manifest["rows"], Path(built.folder)
    parts = (built.manifest[name].items() for name in ("labels", "languages", "subsets"))
    counts = "; ".join(", ".join(f"{count} {name}" for name, count in each) for each in parts)
    lines = [f"{each.lang} was not executed: {markup(each.why)}" for each in built.absent]
    lines.append(f"[bold]{rows['test']} rows[/] and {rows['shots']} shots: {markup(counts)}")
    lines += [f"[bold]warning:[/] {markup(each)}" for each in _warnings(built.manifest)]
    lines.append(f"written: {markup(str(folder))}; its card is README.md, each drop is named in stages/")
    lines.append(f"check it: {command_name()} verify {markup(quoted(folder / 'test.json'))}")
    return lines


RECIPE = DeclaredRecipe("codecorrectness", codecorrectness, STAGES, build)

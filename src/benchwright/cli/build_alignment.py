"""`benchwright build alignment --from CLONE… --github OWNER/NAME --out DIR`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchwright.building.alignment.card_facts import CardOptions
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.pipeline import STAGES, AlignmentBuild, build
from benchwright.building.engine.recipe import DeclaredRecipe
from benchwright.cli.arguments import Option, SectionedCommand, as_path, not_empty, not_empty_each
from benchwright.cli.build_options import build_options, run_build
from benchwright.cli.place_options import place_options
from benchwright.cli.shell_completion import files
from benchwright.display.escape import markup
from benchwright.display.wording import counted, singular
from benchwright.sources.github.search_pages import GITHUB
from benchwright.sources.licences import PERMISSIVE

_mined = partial(click.option, cls=Option, section="Mined references and files")
_filtered = partial(click.option, cls=Option, section="Filters", rare=True)
_github = partial(click.option, cls=Option, section="GitHub")


@click.command(
    name="alignment",
    cls=SectionedCommand,
    often=("--name",),
    context_settings={"show_default": True},
    short_help="Commits, reviews, issues and merges, with evidence for each link.",
)
@build_options(
    "repositories",
    sources="A clone, a folder or list of clones, an address, or a source NAME:REST; repeatable.",
    place="CLONE",
    out="builds/alignment",
)
@place_options
@click.option(
    "--name",
    callback=not_empty,
    metavar="OWNER/NAME",
    help="The name of the repository, if --from is one clone. By default it follows from the address of the "
    "clone.",
)
@_mined(
    "--no-pulls",
    is_flag=True,
    help="Leave out heads of pull requests (refs/pull/*/head) and of Gerrit changes.",
)
@_mined("--no-comments", is_flag=True, help="Do not find changed comments and docstrings.")
@_mined(
    "--refactorings",
    is_flag=True,
    help="Find renamed, moved and extracted functions by a heuristic: about 40 ms for each commit.",
)
@_mined(
    "--consent",
    metavar="TEXT",
    callback=not_empty,
    help="The statement of consent for session logs that have none: names, purpose, date.",
)
@_github(
    "--github",
    "repositories",
    multiple=True,
    callback=not_empty_each,
    metavar="OWNER/NAME",
    help="Fetch reviews, issues, pull requests and checks of this repository; repeatable. GITHUB_TOKEN or "
    "GH_TOKEN is used if set.",
)
@_github(
    "--since",
    callback=not_empty,
    metavar="DATE",
    help="Fetch only issues and pull requests that changed since this date: 2025-01-31.",
)
@_github("--offline", is_flag=True, help="Use the stored replies of an earlier call; send no request.")
@_github("--allow-private", is_flag=True, help="Fetch repositories that are private to the token.")
@_github(
    "--github-api",
    callback=not_empty,
    metavar="URL",
    help=f"API address of an Enterprise Server.  [default: $GITHUB_API_URL or {GITHUB}]",
)
@click.option(
    "--licence-unknown",
    cls=Option,
    section="Licences and gates",
    rare=True,
    type=click.Choice(["drop", "keep"]),
    default="drop",
    help="Whether repositories without a known licence are kept, such as your own.",
)
@_filtered(
    "--filter",
    "filters",
    multiple=True,
    callback=not_empty_each,
    metavar="NAME",
    help="Switch a filter on, or off by no-NAME; repeatable. Rows that were dropped by it come back.",
)
@_filtered(
    "--against",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    metavar="FILE",
    help="A benchmark that no row may share 13 tokens with; repeatable. The bundled and downloaded data sets "
    "always count.",
)
@_filtered(
    "--seed", type=int, default=0, metavar="N", help="Seed of the filters that keep a share of the rows."
)
@click.option(
    "--contact",
    callback=not_empty,
    metavar="ADDRESS",
    help="Address for requests of removal; printed in the card.",
)
@click.option(
    "--labels",
    callback=as_path,
    metavar="PROJECT",
    help="Labels of links by people, a project of `judge links`: the card shows the precision of each rung.",
)
def command(
    out: Path,
    licences: tuple[str, ...],
    no_pulls: bool,
    no_comments: bool,
    refactorings: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Mine repositories into events, patches, pull requests, feedback and evidence links.

    A clone is enough; no token is needed. Every link names the evidence on which it rests. The same command
    resumes an interrupted build and adds what is new in the sources: ten more commits rewrite the last files
    only.

    \b
    git clone --mirror https://github.com/pallets/click click.git
    benchwright build alignment --from click.git --name pallets/click --out builds/click
    benchwright build alignment --from click.git --no-pulls --out builds/main-only
    benchwright build alignment --from click.git --github pallets/click --out builds/click
    """
    options = AlignmentOptions(
        sources=(*given["sources"], *(f"github-events:{each}" for each in given["repositories"])),
        name=given["name"] or "",
        since=given["since"] or "",
        pulls=not no_pulls,
        comments=not no_comments,
        refactorings=refactorings,
        licences=licences or PERMISSIVE,
        licence_unknown=given["licence_unknown"],
        consent=given["consent"] or "",
        gates=given["gates"],
        filters=given["filters"],
        against=given["against"],
        seed=given["seed"],
        offline=given["offline"],
        allow_private=given["allow_private"],
        github_api=given["github_api"] or os.environ.get("GITHUB_API_URL") or GITHUB,
    )
    card_options = CardOptions(contact=given["contact"] or "", labels=given["labels"])
    run_build(
        lambda watch: build(options, out, watch=watch, shown=card_options),
        as_json=as_json,
        quiet=quiet,
        sentences=_sentences,
        details=lambda built: {"release": built.release},
    )


def _sentences(built: AlignmentBuild) -> list[str]:
    counts = {name: count for name, count in built.manifest["tables"].items() if name != "repositories"}
    tables = ", ".join(counted(count, singular(name), name) for name, count in counts.items())
    gaps = sum(built.manifest["gaps"].values())
    repositories = counted(len(built.manifest["repositories"]), "repository", "repositories")
    return [
        f"[bold]{repositories}[/]: {markup(tables)}",
        f"released: {markup(built.release)}; the card is README.md",
        f"not read: {counted(gaps, 'object or file', 'objects and files')}, by reason in manifest.json",
    ]


RECIPE = DeclaredRecipe("alignment", command, STAGES, build)

"""`benchwright build aicodereval --drafts FILE… --out DIR`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click
import msgspec

from benchwright.building.aicodereval.build_statistics import uncertified_lines
from benchwright.building.aicodereval.human_review import fill_expected, lines
from benchwright.building.aicodereval.model_drafting import ModelDrafting
from benchwright.building.aicodereval.release_options import BenchmarkOptions, EntryBounds
from benchwright.building.aicodereval.release_pipeline import STAGES, ReleaseBuild, build
from benchwright.building.engine.recipe import DeclaredRecipe
from benchwright.building.engine.stages import make_folder
from benchwright.cli.arguments import Option, SectionedCommand, as_path, not_empty, not_empty_each, print_json
from benchwright.cli.build_options import build_options, run_build
from benchwright.cli.model_options import asking_settings, model_options
from benchwright.cli.place_options import place_options
from benchwright.cli.shell_completion import files, models
from benchwright.display.escape import escaped_name, escaped_path, markup
from benchwright.display.wording import counted
from benchwright.errors import UsageError, install_command
from benchwright.executing.executors import open_executor
from benchwright.executing.trials import Trials

_draft = partial(click.option, cls=Option, section="Drafts written by a model", rare=True)
_ASKING = {"temperature": 0.0, "max_tokens": 8192}  # a draft is a whole function with inputs


@click.command(
    name="aicodereval",
    cls=SectionedCommand,
    often=("--model",),
    context_settings={"show_default": True, "default_map": _ASKING},
    short_help="Tasks around AI models, with tests at three levels.",
)
@build_options(
    "entries",
    sources="A folder of model cards, or a source NAME:REST; repeatable. Entries are drafted from templates "
    "or by --model.",
    out="builds/aicodereval",
)
@place_options
@click.option(
    "--drafts",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    metavar="FILE",
    help="File of stored drafts, one JSON object a line; repeatable.",
)
@click.option(
    "--name", default="aicodereval@0.1.0", metavar="N@X.Y.Z", help="Name and version of the release."
)
@click.option(
    "--min-success-rate",
    type=float,
    default=0.0,
    metavar="SHARE",
    help="Minimum share of its levels that an entry must pass to be published.",
)
@click.option(
    "--corpus",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    metavar="PATH",
    help="A file or folder of possible training data; entries found in it are not certified; repeatable.",
)
@click.option(
    "--reviewed",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    metavar="SHEET",
    help="A signed review sheet: only entries that it accepts are certified; repeatable. Each build writes "
    "an empty sheet, review.csv.",
)
@click.option(
    "--fill-expected",
    "filled",
    callback=as_path,
    shell_complete=files,
    metavar="FILE",
    help="Do not build. Write the drafts to FILE, with empty `expected` values filled in from the solutions, "
    "for review.",
)
@_draft(
    "--model",
    callback=not_empty,
    shell_complete=models,
    metavar="MODEL",
    help="The model that drafts entries from the records of --from: openai:NAME, transformers:FOLDER, or "
    "replay:FILE for the stored replies of another build.",
)
@_draft(
    "--reviewer",
    callback=not_empty,
    shell_complete=models,
    metavar="MODEL",
    help="Another model that reviews each entry with its tests and may reject it.",
)
@_draft(
    "--environment",
    default="bare",
    metavar="PROFILE",
    help="The dependency profile that drafts may import from and are executed in.",
)
@_draft(
    "--repairs",
    type=click.IntRange(0, 3),
    default=3,
    help="Maximum number of repairs of a draft, each with its error report.",
)
@model_options
def command(
    out: Path,
    licences: tuple[str, ...],
    min_success_rate: float,
    filled: Path | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Build a release of AICoderEval: tasks around AI models that were executed before they were published.

    Every solution runs five times in the sandbox, varied each time. Then constants, mutants and wrong
    solutions must fail, and alternative solutions must pass. Every drop is counted and listed with all
    reasons. The same command resumes an interrupted build and executes nothing twice.

    \b
    benchwright build aicodereval --drafts drafts.jsonl --name mine@1.0.0
    benchwright build aicodereval --drafts drafts.jsonl --fill-expected filled.jsonl
    benchwright build aicodereval --drafts drafts.jsonl --out builds/mine \\
        --name mine@1.0.1 --reviewed builds/mine/review.csv
    benchwright build aicodereval --from cards --model openai:my-model \\
        --base-url http://localhost:8000/v1 --out builds/drafted
    benchwright build aicodereval --from cards --out builds/again \\
        --model replay:builds/drafted/replies/answers.jsonl
    """
    bounds = EntryBounds(min_success_rate=min_success_rate)
    if licences:
        bounds = msgspec.structs.replace(bounds, licences=licences)
    inputs = {name: given[name] for name in ("sources", "drafts", "name", "gates", "corpus", "reviewed")}
    options = BenchmarkOptions(bounds=bounds, drafting=_drafting(given), **inputs)
    if filled is not None:
        _fill(given["drafts"], filled, out, as_json=as_json)
        return
    run_build(
        lambda watch: build(options, out, watch=watch),
        as_json=as_json,
        quiet=quiet,
        sentences=_sentences,
        details=lambda built: {"release": built.release},
    )


def _fill(drafts: tuple[str, ...], target: Path, out: Path, *, as_json: bool) -> None:
    """Write the drafts with expected values, and print each value for review."""
    if not drafts:
        raise UsageError("--fill-expected needs stored drafts", hint="--drafts drafts.jsonl")
    make_folder(out)
    with open_executor() as executor, Trials(out / "filling.jsonl", executor) as trials:
        filled, drops = fill_expected(drafts, target, trials)
    if as_json:
        rows = [each._asdict() for each in filled]
        print_json(msgspec.to_builtins({"file": str(target), "filled": rows, "dropped": drops}))
        return
    for line in lines(filled):
        click.echo(escaped_name(line, 400))
    for drop in drops:
        click.echo(escaped_name(f"{drop.unit}: {drop.reason}: {drop.detail}", 400), err=True)
    click.echo(f"written: {escaped_path(target)}; review each value before building from it", err=True)


def _drafting(given: dict[str, Any]) -> ModelDrafting | None:
    if given["model"] is None:
        if given["reviewer"] is not None:
            raise UsageError("--reviewer needs --model", hint="--model openai:NAME")
        return None
    return ModelDrafting(
        model=given["model"],
        asking=asking_settings(given),
        reviewer=given["reviewer"] or "",
        environment=given["environment"],
        repairs=given["repairs"],
    )


def _sentences(built: ReleaseBuild) -> list[str]:
    entries = built.manifest["entries"]
    counts = ", ".join(f"{count} {name}" for name, count in built.manifest["tiers"].items())
    lines = [
        f"[bold]{counted(entries['test'], 'test entry', 'test entries')}[/] and {entries['train']} "
        f"for training: {markup(counts)}",
        f"released: {markup(built.release)}; the card is README.md, drops are listed in dropped.jsonl",
        f"for review: {markup(str(Path(built.folder) / 'review.csv'))}; pass the signed sheet to --reviewed",
    ]
    if not built.manifest["parquet"]:
        parquet = markup(install_command("parquet"))
        lines.append(f"tables are written as JSON Lines only; for Parquet: {parquet}")
    return [*lines, *(markup(line) for line in uncertified_lines(Path(built.release)))]


RECIPE = DeclaredRecipe("aicodereval", command, STAGES, build)

"""Demo of AICoderEval: build a release, list the refusals, and score models on it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console

from benchwright.cli.arguments import need_builders, score_document
from benchwright.cli.scores import print_table
from benchwright.cli.terminal import print_whole
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.errors import PrerequisiteError, command_name
from benchwright.progress import Watcher
from benchwright.records import Record, Score
from benchwright.running.options import RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.running.run_folders import short_key
from benchwright.sandbox.profiles import packages_folder
from benchwright.store.data_files import data_hash
from benchwright.store.lines import read_rows
from benchwright.version import VERSION

if TYPE_CHECKING:
    from benchwright.building.aicodereval.release_options import BenchmarkOptions
    from benchwright.building.aicodereval.release_pipeline import ReleaseBuild

TRACK, NAME, TORCH_NAME = "aicodereval", "aicodereval-demo@1.0.0", "aicodereval-torch-demo@1.0.0"
MODELS, TORCH_MODELS = ("demo-strong", "demo-weak", "demo-cheater"), ("demo-strong", "demo-cheater")
ENTRY_PAIR = ("demo-strong", "demo-weak")


class ReleaseDemo(Record, frozen=True, kw_only=True):
    """The built release, and a score for each model. `unbuilt` is the reason if there is no release."""

    built: ReleaseBuild | None = None
    scores: list[Score] = []
    unbuilt: str = ""

    @property
    def runs(self) -> dict[str, str]:
        """Run folders by model."""
        return {score.model: score.run for score in self.scores}

    @property
    def about(self) -> str:
        """Where the tasks come from: the number of drafts that the build considered."""
        if self.built is None:
            return ""
        most = max((each.considered for each in self.built.levels), default=0)
        return f"built from {counted(most, 'draft')}, judged by tests"

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        return {
            "built": msgspec.to_builtins(self.built),
            "scores": [score_document(score) for score in self.scores],
            "unbuilt": self.unbuilt,
        }


def run_entries(folder: Path, out: Path, *, workers: int | None, jail: str, watcher: Watcher) -> ReleaseDemo:
    """Build the release from the folder's cards and drafts, then score the stored answers to its tests.

    If a package for building is missing, the result contains the reason.
    """
    cards, drafts = str(folder / "cards"), str(folder / "drafts.jsonl")
    watcher.note("AICoderEval: each draft is executed before it is released")
    try:
        built = _build_in(out, watcher, sources=(cards,), drafts=(drafts,), name=NAME)
    except PrerequisiteError as error:
        return _unbuilt_demo(error)
    scores = [_score(folder, each, built, out, workers, jail, watcher) for each in MODELS]
    return ReleaseDemo(built=built, scores=scores)


def run_torch_entries(
    folder: Path, out: Path, *, workers: int | None, jail: str, watcher: Watcher
) -> ReleaseDemo:
    """Build and score the tasks around PyTorch on stand-in models, if its profile is installed."""
    watcher.note("AICoderEval with PyTorch: models by their ids, on stand-ins")
    try:
        packages_folder("torch")
        built = _build_in(out, watcher, drafts=(str(folder / "drafts.jsonl"),), name=TORCH_NAME)
    except PrerequisiteError as error:
        return _unbuilt_demo(error)
    scores = [_score(folder, each, built, out, workers, jail, watcher) for each in TORCH_MODELS]
    return ReleaseDemo(built=built, scores=scores)


def _build_in(out: Path, watcher: Watcher, **given: Any) -> ReleaseBuild:
    with need_builders("the build of the demo"):
        from benchwright.building.aicodereval.release_options import BenchmarkOptions  # noqa: PLC0415
        from benchwright.building.aicodereval.release_pipeline import build  # noqa: PLC0415

    options = BenchmarkOptions(**given)
    return build(options, out / f"{TRACK}-{_key(options)}", watch=watcher)


def _unbuilt_demo(error: PrerequisiteError) -> ReleaseDemo:
    return ReleaseDemo(unbuilt="; ".join(filter(None, (error.message, error.hint))))


def _key(options: BenchmarkOptions) -> str:
    """Key of the build folder; other data or another version is another build."""
    drafts = [data_hash(each) for each in options.drafts]
    return short_key({**options.identity(), "from": options.sources, "drafts": drafts, "version": VERSION})


def _score(
    folder: Path,
    model: str,
    built: ReleaseBuild,
    out: Path,
    workers: int | None,
    jail: str,
    watcher: Watcher,
) -> Score:
    answers, data = folder / f"{model}.jsonl", Path(built.release, "data", "test.jsonl")
    plan = make_plan(RunOptions(track=TRACK, data=str(data), model=f"replay:{answers}", jail=jail))
    watcher.note(f"{model}, AICoderEval")
    score = run_plan(
        plan, out=out / f"entries-{model}-{short_key(plan.identity)}", workers=workers, watcher=watcher
    )
    return msgspec.structs.replace(score, model=model)


def print_entries(target: Console, entries: ReleaseDemo, *, title: str = "AICoderEval") -> None:
    """Print the funnel, the refusals with reasons, and the score table."""
    target.print()
    if entries.built is None:
        target.print(f"{title} was not built: {markup(entries.unbuilt)}", soft_wrap=True)
        return
    from benchwright.cli.build_options import funnel_table  # noqa: PLC0415 (another distribution)

    print_whole(target, funnel_table(entries.built.levels))
    for line in _release_lines(entries.built):
        target.print(line, soft_wrap=True)
    print_table(target, entries.scores)
    for score in entries.scores:
        show = f"{command_name()} show {shlex.quote(score.run)}"
        target.print(f"[bold]{markup(score.model)}[/]: {markup(show)}", soft_wrap=True)


def _release_lines(built: ReleaseBuild) -> Iterator[str]:
    manifest = built.manifest
    tiers = ", ".join(f"{count} {tier}" for tier, count in manifest["tiers"].items())
    domains = ", ".join(f"{count} {domain}" for domain, count in manifest["domains"].items())
    task_count = counted(manifest["entries"]["test"], "task")
    yield f"[bold]{task_count} built[/] into {markup(built.release)}: {markup(tiers)}; {markup(domains)}"
    refused = uncertified(Path(built.release))
    if reasons := ", ".join(f"{unit} ({reason})" for unit, reason in refused.items()):
        yield f"not certified: {markup(reasons.replace('_', ' '))}"


def uncertified(release: Path) -> dict[str, str]:
    """Reasons of each entry that a release contains without certification."""
    found = {}
    for _, row in read_rows(release / "admissions.jsonl"):
        reasons = [each["reason"] for each in row["decisions"].values() if each.get("reason")]
        if reasons:
            found[str(row["task_id"])] = ", ".join(reasons)
    return found

"""Demo of the tracks that declare stored answers: rules, a stored model judge, and stored votes of people."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console

from benchwright.cli.arguments import score_document
from benchwright.cli.grades import people_lines
from benchwright.cli.scores import print_table
from benchwright.display.escape import markup
from benchwright.errors import PrerequisiteError, command_name
from benchwright.judges.people.results import ENOUGH
from benchwright.progress import Watcher
from benchwright.records import Record, Score
from benchwright.registry import StoredDemo, built_in_tracks, declaration
from benchwright.running.options import JudgeOptions, RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.running.reading import open_run
from benchwright.running.rescoring import rescore
from benchwright.running.run_data import data_of
from benchwright.running.taking_up import short_key
from benchwright.running.votes import keep_votes, scan_votes


class SmartCoding(Record, frozen=True, kw_only=True):
    """Scores of the models by track; `unscored` is the reason for each track without scores.

    A track is not scored if an extra is missing, such as the parsers of some languages.
    """

    scores: dict[str, list[Score]] = {}
    unscored: dict[str, str] = {}

    @property
    def runs(self) -> dict[str, dict[str, str]]:
        """Run folders by track and model."""
        return {track: {each.model: each.run for each in scores} for track, scores in self.scores.items()}

    def comparisons(self) -> Iterator[tuple[dict[str, str], tuple[str, str]]]:
        """For each scored track its runs by model, and the models to compare."""
        for track, runs in self.runs.items():
            if demo := declaration(track).demo:
                yield runs, demo.pair

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        made = {track: list(map(score_document, scores)) for track, scores in self.scores.items()}
        return {**made, "unscored": self.unscored}


def run_stored(out: Path, *, workers: int | None, jail: str, watcher: Watcher) -> SmartCoding:
    """Score the stored answers that built-in tracks declare, with the stored replies of the demo's judge."""
    scores: dict[str, list[Score]] = {}
    unscored: dict[str, str] = {}
    for track in built_in_tracks():
        if track.demo is None:
            continue
        try:
            with as_file(files(track.demo.package)) as folder:
                scores[track.name] = [
                    _stored_score(folder, track.name, track.demo, model, out, workers, jail, watcher)
                    for model in track.demo.models
                ]
        except PrerequisiteError as error:
            unscored[track.name] = "; ".join(filter(None, (error.message, error.hint)))
    return SmartCoding(scores=scores, unscored=unscored)


def _stored_score(
    folder: Path,
    track: str,
    demo: StoredDemo,
    model: str,
    out: Path,
    workers: int | None,
    jail: str,
    watcher: Watcher,
) -> Score:
    answers, votes = folder / demo.answers, folder / demo.answers / "people" / f"{model}.jsonl"
    judge = answers / "judge"
    options = RunOptions(
        track=track,
        data=str(folder / demo.data),
        model=f"replay:{answers / model}.jsonl",
        judges=JudgeOptions(specs=(f"replay:{judge}",)) if judge.is_dir() else JudgeOptions(),
        jail=jail,
    )
    plan = make_plan(options)
    watcher.note(f"{model}, {answers.name}")
    score = run_plan(
        plan, out=out / f"{answers.name}-{model}-{short_key(plan.identity)}", workers=workers, watcher=watcher
    )
    score = _with_people(score, votes) if votes.is_file() else score
    return msgspec.structs.replace(score, model=model)


def _with_people(score: Score, votes: Path) -> Score:
    """The score after importing stored votes of people."""
    run = open_run(score.run)
    keep_votes(run, scan_votes(votes))
    return rescore(run, data_of(run))


def print_smartcoding(target: Console, found: SmartCoding) -> None:
    """Print the score table of each track, and the outcomes of each model."""
    for track, why in found.unscored.items():
        target.print(f"{track} was not scored: {markup(why)}", soft_wrap=True)
    for scores in found.scores.values():
        print_table(target, scores, kind="summary")
        for score in scores:
            target.print(_score_line(score), soft_wrap=True)
            for line in people_lines(score, figures=1):
                target.print(f"  {markup(line)}", soft_wrap=True)
        if any(people_lines(score, figures=1) for score in scores):
            target.print(
                "judged by rules, by the stored replies of a model judge that proved itself first, and by "
                f"stored votes of scripted people; under {ENOUGH} labels a run leave a judge uncalibrated",
                soft_wrap=True,
            )


def _score_line(score: Score) -> str:
    parts = [f"{count} {name}" for name, count in score.outcomes.items() if count]
    show = f"{command_name()} show {shlex.quote(score.run)}"
    return f"[bold]{markup(score.model)}[/]: {' · '.join(parts)}; {markup(show)}"

"""Demo parts of tracks with stored answers, and the check of CodeCorrectness labels by execution."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console

from benchwright.cli.arguments import need_builders, score_document
from benchwright.cli.scores import absent_baselines, people_lines, print_table
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.errors import PrerequisiteError, command_name
from benchwright.judges.people.results import ENOUGH
from benchwright.judges.suites.go_library import library_folder
from benchwright.judges.suites.go_toolchain import find_toolchain
from benchwright.progress import Watcher
from benchwright.records import Record, Score
from benchwright.registry import StoredDemo, built_in_tracks, declaration
from benchwright.running.judged_items import scan_votes, store_votes
from benchwright.running.options import JudgeOptions, RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.running.rescoring import rescore
from benchwright.running.run_data import data_of, measures_of, open_run
from benchwright.running.run_folders import short_key

if TYPE_CHECKING:
    from benchwright.building.codecorrectness.verification import RowFinding, VerificationReport


TRACK = "codecorrectness"
MODELS = ("demo-strong", "demo-weak", "demo-cheater")
LABEL_PAIR = ("demo-strong", "demo-weak")
REPEAT = 3  # executions of each pair: each starts a JVM


class LabelDemo(Record, frozen=True, kw_only=True):
    """A score for each model, and the check of the labels; `unchecked` is the reason if there is no check."""

    scores: list[Score]
    checked: VerificationReport | None = None
    unchecked: str = ""

    @property
    def runs(self) -> dict[str, str]:
        """Run folders by model."""
        return {score.model: score.run for score in self.scores}

    @property
    def about(self) -> str:
        """How many labels were executed, with the results."""
        if self.checked is None:
            return "labels not executed"
        names = {"agrees": "confirmed", "absent": "skipped"}
        counts = {names.get(name, name.replace("_", " ")): n for name, n in self.checked.counts.items() if n}
        return f"labels executed: {', '.join(f'{n} {name}' for name, n in counts.items())}"

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        checked = None
        if self.checked is not None:
            from benchwright.building.codecorrectness.verification import document  # noqa: PLC0415

            rows = [
                msgspec.structs.asdict(each) for each in self.checked.findings if each.finding != "agrees"
            ]
            checked = {**document(self.checked), "findings": rows}
        scores = [score_document(score) for score in self.scores]
        return {"scores": scores, "checked": checked, "unchecked": self.unchecked}


def run_labels(folder: Path, out: Path, *, workers: int | None, jail: str, watcher: Watcher) -> LabelDemo:
    """Score the stored answers in the demo's folder, and execute each pair REPEAT times.

    A missing toolchain is a finding of the check; if nothing could be checked, the result contains the
    reason.
    """
    data = folder / f"{TRACK}.jsonl"
    scores = [
        _score(folder, model, data, out, workers=workers, jail=jail, watcher=watcher) for model in MODELS
    ]
    try:
        return LabelDemo(scores=scores, checked=_check(data, out, watcher))
    except PrerequisiteError as error:
        return LabelDemo(scores=scores, unchecked="; ".join(filter(None, (error.message, error.hint))))


def _score(
    folder: Path, model: str, data: Path, out: Path, *, workers: int | None, jail: str, watcher: Watcher
) -> Score:
    answers = folder / "labels" / f"{model}.jsonl"
    plan = make_plan(RunOptions(track=TRACK, data=str(data), model=f"replay:{answers}", jail=jail))
    watcher.note(f"{model}, labels")
    place = out / f"labels-{model}-{short_key(plan.identity)}"
    score = run_plan(plan, out=place, workers=workers, watcher=watcher)
    return msgspec.structs.replace(score, model=model)


def _check(data: Path, out: Path, watcher: Watcher) -> VerificationReport:
    with need_builders("the check of the labels"):
        from benchwright.building.codecorrectness.verification import verify  # noqa: PLC0415

    watcher.note("are the labels right? each pair is executed")
    if _is_first_use_of_go():
        watcher.note(
            "Go compiles what is needed of its standard library, once for this machine: half a minute"
        )
    return verify(data, out=out / "labels-checked", repeat=REPEAT, watch=watcher)


def _is_first_use_of_go() -> bool:
    try:
        return not library_folder(find_toolchain()).is_dir()
    except PrerequisiteError:  # reported by the check
        return False


def print_labels(target: Console, labels: LabelDemo) -> None:
    """Print the score table with the baseline, one line per model, and the results of the executions."""
    first = labels.scores[0]
    baselines = measures_of(TRACK).sections(first.details).baselines
    print_table(target, labels.scores, kind="summary", baselines=baselines, gaps=["\n"])
    for score in labels.scores:
        target.print(_line(score), soft_wrap=True)
    for line in (*absent_baselines(baselines), *_check_lines(labels)):
        target.print(line, soft_wrap=True)


def _line(score: Score) -> str:
    ways = {"passed": "right", "wrong": "wrong", "unparsable": "no label"}
    parts = [f"{score.outcomes[name]} {way}" for name, way in ways.items() if score.outcomes.get(name)]
    show = f"{command_name()} show {shlex.quote(score.run)}"
    return f"[bold]{markup(score.model)}[/]: {' · '.join(parts)}; {markup(show)}"


def _check_lines(labels: LabelDemo) -> list[str]:
    """Lines on confirmed labels, on each row with a wrong label, and on pairs that were not executed."""
    report = labels.checked
    if report is None:
        return [f"the labels were not checked: {markup(labels.unchecked)}"]
    lines = [_agreement(report)] if report.checked else []
    lines += [_finding_line(each) for each in report.findings if each.finding not in ("agrees", "absent")]
    missing = Counter(each.lang for each in report.findings if each.finding == "absent")
    for lang, count in missing.items():
        reason = report.absent.get(lang) or next(
            each.detail for each in report.findings if each.lang == lang and each.finding == "absent"
        )
        lines.append(f"{lang}: {counted(count, 'pair')} not executed: {markup(reason)}")
    return lines


def _agreement(report: VerificationReport) -> str:
    agreed = ", ".join(
        f"{lang} {counts['agrees']}" for lang, counts in report.languages.items() if counts["agrees"]
    )
    return (
        f"[bold]labels checked by execution[/]: {report.counts['agrees']} of {report.checked} hold "
        f"({agreed}; each pair {report.repeat} times in the sandbox)"
    )


def _finding_line(each: RowFinding) -> str:
    summary = f"row {each.task_id} ({each.lang}): {each.finding.replace('_', ' ')}"
    if each.finding == "flaky":
        explanation = f"passed {each.passes} of {each.runs} times, so its label is meaningless"
        return f"[bold yellow]{summary}[/], {explanation}: {markup(each.detail)}"
    return f"[bold red]{summary}[/]: {markup(each.detail)}"


class StoredDemoScores(Record, frozen=True, kw_only=True):
    """Scores of the models by track; `unscored` is the reason for each track without scores.

    A track is not scored if an extra is missing, such as the parsers of some languages.
    """

    scores: dict[str, list[Score]] = {}
    unscored: dict[str, str] = {}

    @property
    def runs(self) -> dict[str, dict[str, str]]:
        """Run folders by track and model."""
        return {track: {each.model: each.run for each in scores} for track, scores in self.scores.items()}

    def comparisons(self) -> Iterator[tuple[str, str, list[Score], tuple[str, str]]]:
        """For each scored track its name, how it is judged, its scores, and the models to compare."""
        for track, scores in self.scores.items():
            if demo := declaration(track).demo:
                yield track, demo.about, scores, demo.pair

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        by_track = {track: list(map(score_document, scores)) for track, scores in self.scores.items()}
        return {**by_track, "unscored": self.unscored}


def run_stored(out: Path, *, workers: int | None, jail: str, watcher: Watcher) -> StoredDemoScores:
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
    return StoredDemoScores(scores=scores, unscored=unscored)


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
    store_votes(run, scan_votes(votes))
    return rescore(run, data_of(run))


def print_stored(target: Console, found: StoredDemoScores) -> None:
    """Print the score table of each track, and the outcomes of each model."""
    for track, reason in found.unscored.items():
        target.print(f"{track} was not scored: {markup(reason)}", soft_wrap=True)
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

"""Demo of CodeCorrectness: score predicted labels, and check the labels by execution."""

from __future__ import annotations

import shlex
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console

from benchwright.cli.arguments import need_builders, score_document
from benchwright.cli.scores import absent_baselines, print_table
from benchwright.display.escape import markup
from benchwright.display.wording import counted
from benchwright.errors import PrerequisiteError, command_name
from benchwright.judges.suites.go_library import library_folder
from benchwright.judges.suites.go_toolchain import find_toolchain
from benchwright.progress import Watcher
from benchwright.records import Record, Score
from benchwright.running.options import RunOptions
from benchwright.running.pipeline import run_plan
from benchwright.running.plan import make_plan
from benchwright.running.reading import measures_of
from benchwright.running.taking_up import short_key

if TYPE_CHECKING:
    from benchwright.building.codecorrectness.verifying import RowFinding, Verified

TRACK = "codecorrectness"
MODELS = ("demo-strong", "demo-weak", "demo-cheater")
LABEL_PAIR = ("demo-strong", "demo-weak")
REPEAT = 3  # executions of each pair: each starts a JVM


class Labels(Record, frozen=True, kw_only=True):
    """A score for each model, and the check of the labels; `unchecked` is the reason if there is no check."""

    scores: list[Score]
    checked: Verified | None = None
    unchecked: str = ""

    @property
    def runs(self) -> dict[str, str]:
        """Run folders by model."""
        return {score.model: score.run for score in self.scores}

    def document(self) -> dict[str, Any]:
        """The JSON document."""
        checked = None
        if self.checked is not None:
            from benchwright.building.codecorrectness.verifying import document  # noqa: PLC0415

            rows = [
                msgspec.structs.asdict(each) for each in self.checked.findings if each.finding != "agrees"
            ]
            checked = {**document(self.checked), "findings": rows}
        scores = [score_document(score) for score in self.scores]
        return {"scores": scores, "checked": checked, "unchecked": self.unchecked}


def run_labels(folder: Path, out: Path, *, workers: int | None, jail: str, watcher: Watcher) -> Labels:
    """Score the stored answers in the demo's folder, and execute each pair REPEAT times.

    A missing toolchain is a finding of the check; if nothing could be checked, the result contains the
    reason.
    """
    data = folder / f"{TRACK}.jsonl"
    scores = [
        _score(folder, model, data, out, workers=workers, jail=jail, watcher=watcher) for model in MODELS
    ]
    try:
        return Labels(scores=scores, checked=_check(data, out, watcher))
    except PrerequisiteError as error:
        return Labels(scores=scores, unchecked="; ".join(filter(None, (error.message, error.hint))))


def _score(
    folder: Path, model: str, data: Path, out: Path, *, workers: int | None, jail: str, watcher: Watcher
) -> Score:
    answers = folder / "labels" / f"{model}.jsonl"
    plan = make_plan(RunOptions(track=TRACK, data=str(data), model=f"replay:{answers}", jail=jail))
    watcher.note(f"{model}, labels")
    place = out / f"labels-{model}-{short_key(plan.identity)}"
    score = run_plan(plan, out=place, workers=workers, watcher=watcher)
    return msgspec.structs.replace(score, model=model)


def _check(data: Path, out: Path, watcher: Watcher) -> Verified:
    with need_builders("the check of the labels"):
        from benchwright.building.codecorrectness.verifying import verify  # noqa: PLC0415

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


def print_labels(target: Console, labels: Labels) -> None:
    """Print the score table with the baseline, one line per model, and the results of the executions."""
    first = labels.scores[0]
    baselines = measures_of(TRACK).sections(first.details).baselines
    print_table(target, labels.scores, kind="summary", baselines=baselines, gaps=["\n"])
    for score in labels.scores:
        target.print(_line(score), soft_wrap=True)
    for line in (*absent_baselines(baselines), *_checked(labels)):
        target.print(line, soft_wrap=True)


def _line(score: Score) -> str:
    ways = {"passed": "right", "wrong": "wrong", "unparsable": "no label"}
    parts = [f"{score.outcomes[name]} {way}" for name, way in ways.items() if score.outcomes.get(name)]
    show = f"{command_name()} show {shlex.quote(score.run)}"
    return f"[bold]{markup(score.model)}[/]: {' · '.join(parts)}; {markup(show)}"


def _checked(labels: Labels) -> list[str]:
    """Lines on confirmed labels, on each row with a wrong label, and on pairs that were not executed."""
    report = labels.checked
    if report is None:
        return [f"the labels were not checked: {markup(labels.unchecked)}"]
    lines = [_agreement(report)] if report.checked else []
    lines += [_named(each) for each in report.findings if each.finding not in ("agrees", "absent")]
    missing = Counter(each.lang for each in report.findings if each.finding == "absent")
    for lang, count in missing.items():
        why = report.absent.get(lang) or next(
            each.detail for each in report.findings if each.lang == lang and each.finding == "absent"
        )
        lines.append(f"{lang}: {counted(count, 'pair')} not executed: {markup(why)}")
    return lines


def _agreement(report: Verified) -> str:
    agreed = ", ".join(
        f"{lang} {counts['agrees']}" for lang, counts in report.languages.items() if counts["agrees"]
    )
    return (
        f"[bold]labels checked by execution[/]: {report.counts['agrees']} of {report.checked} hold "
        f"({agreed}; each pair {report.repeat} times in the sandbox)"
    )


def _named(each: RowFinding) -> str:
    told = f"row {each.task_id} ({each.lang}): {each.finding.replace('_', ' ')}"
    if each.finding == "flaky":
        said = f"passed {each.passes} of {each.runs} times, so its label is meaningless"
        return f"[bold yellow]{told}[/], {said}: {markup(each.detail)}"
    return f"[bold red]{told}[/]: {markup(each.detail)}"

"""What a run looks like in a terminal: a progress bar, a score table, plain lines where none can draw."""

from __future__ import annotations

import sys
from collections import Counter

from rich.console import Console
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from benchwright.display.escape import markup
from benchwright.errors import command_name
from benchwright.progress import Silent, Watcher
from benchwright.rank.wording import figures, metric_label
from benchwright.records import Metric, Outcome, Score

_GOOD = Outcome.passed.value
WIDE = 3  # metrics that stand beside each other
_ANY_WIDTH = 10_000
WINDOW_S = 120  # a slow model answers seldom: its rate is that of the last two minutes


def watcher_for(target: Console, *, quiet: bool, as_json: bool) -> Watcher:
    """Who watches a command: nobody where it was asked to be quiet, or where JSON goes into a file."""
    return Silent() if quiet or (as_json and not target.is_terminal) else TerminalWatcher(target)


def console() -> Console:
    """Where people read: stderr, without colour when NO_COLOR is set or nobody watches."""
    return Console(stderr=True, highlight=False, emoji=False)


class Rate(ProgressColumn):
    """How many end in a second, or in a minute where a second is too short for one."""

    def render(self, task: Task) -> Text:
        """The rate of the last minutes; nothing before two have ended."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min")


class TerminalWatcher:
    """A progress bar with rate, time left and failures so far; one line a stage where stderr is a file."""

    def __init__(self, target: Console) -> None:
        self._console = target
        self._draws = target.is_terminal
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._stage, self._done, self._total, self._known, self._status = "", 0, 0, 0, ""
        self._outcomes: Counter[str] = Counter()

    def begin(self, stage: str, total: int, done: int) -> None:
        """Start a bar, or note what an earlier run has left."""
        self._stage, self._total, self._done, self._status = stage, total, done, ""
        self._known = done
        self._outcomes.clear()
        if done:
            self._console.print(f"{stage}: {done} of {total} are known from an earlier run")
        if self._draws and total > done:
            self._progress = _bar(self._console)
            self._progress.start()
            self._task = self._progress.add_task(stage, total=total, completed=done, failed="", status="")

    def tick(self, outcome: Outcome | None) -> None:
        """Count one more."""
        self._done += 1
        if outcome is not None:
            self._outcomes[outcome.value] += 1
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=self._done, failed=self._failed())

    def status(self, text: str) -> None:
        """Put it beside the bar; where there is none, at the end of the stage's line."""
        self._status = text
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, status=markup(text))

    def _failed(self) -> str:
        failed = sum(self._outcomes.values()) - self._outcomes[_GOOD]
        return f"{failed} failed" if failed else ""

    def end(self) -> None:
        """Stop the bar."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        elif not self._draws and self._total > self._known:
            status = f" ({markup(self._status)})" if self._status else ""
            self._console.print(f"{self._stage}: {self._done} of {self._total}{status}", soft_wrap=True)

    def note(self, text: str) -> None:
        """Say something above the bar."""
        self._console.print(markup(text))


def _bar(target: Console) -> Progress:
    return Progress(
        TextColumn("{task.description:>10}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}"),
        Rate(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[status]}"),
        console=target,
        speed_estimate_period=WINDOW_S,
        transient=not sys.stderr.isatty(),
    )


def print_score(target: Console, score: Score) -> None:
    """The score as a table, its outcomes, its self-check and its notes."""
    print_table(target, [score])
    for line in score_lines(score):
        target.print(line, soft_wrap=True)


def print_table(target: Console, scores: list[Score]) -> None:
    """The table under a line that says what it shows, in the widest form that the terminal has room for."""
    first = scores[0]
    target.print(f"[italic]{first.track} · profile {first.profile} · 95 % intervals over tasks[/]")
    if len(scores) == 1 and len(first.metrics) > WIDE:
        target.print(_upright_table(first))
        return
    for gap in (" ", "\n"):  # an interval beside its figure, else below it
        table = score_table(scores, gap=gap)
        if Measurement.get(target, target.options.update(width=_ANY_WIDTH), table).maximum <= target.width:
            target.print(table)
            return
    for score in scores:
        target.print(_lines_of(score), soft_wrap=True)


def score_table(scores: list[Score], *, gap: str = " ") -> Table:
    """One row a score: each metric with its interval, `gap` between the two."""
    table = Table()
    table.add_column("model", overflow="fold")
    metrics = list(dict.fromkeys(name for score in scores for name in score.metrics))
    for name in metrics:
        table.add_column(name, justify="right", no_wrap=True)
    for score in scores:
        for title, found in _rows(score):
            cells = (cell(name, found.get(name)).replace(" [dim]", f"{gap}[dim]") for name in metrics)
            table.add_row(title, *cells)
    return table


def _rows(score: Score) -> list[tuple[str, dict[str, Metric]]]:
    """A score's metrics under its model, and by each further profile."""
    others = [(f"[dim]  by {name}[/]", metrics) for name, metrics in score.other_profiles.items()]
    return [(markup(_short(score.model)), score.metrics), *others]


def _lines_of(score: Score) -> str:
    """A score where no table has room: a line for each metric."""
    return "\n".join(
        line
        for title, metrics in _rows(score)
        for line in (title, *(f"  {metric_label(name)}: {cell(name, metrics[name])}" for name in metrics))
    )


def _upright_table(score: Score) -> Table:
    table = Table()
    table.add_column("metric")
    for name in (score.profile, *score.other_profiles):
        table.add_column(name, justify="right", no_wrap=True)
    for name in score.metrics:
        cells = [cell(name, metrics.get(name)) for metrics in (score.metrics, *score.other_profiles.values())]
        table.add_row(metric_label(name), *cells)
    return table


def cell(name: str, metric: Metric | None) -> str:
    """A metric by its own scale, with its interval, as markup: a correlation is no share."""
    if metric is None:
        return "–"
    value, interval = figures(name, metric)
    return f"{value} [dim]{interval}[/dim]"


def _short(model: str) -> str:
    """A model's name without the folders of a stored file."""
    scheme, colon, rest = model.partition(":")
    return f"{scheme}{colon}{rest.rsplit('/', 1)[-1]}"


def _outcomes(outcomes: dict[str, int]) -> str:
    order = [outcome.value for outcome in Outcome]
    parts = [f"{outcomes[name]} {name.replace('_', ' ')}" for name in order if outcomes.get(name)]
    return " · ".join(parts)


def _facts(score: Score) -> list[str]:
    """What is worth a line only where there is something to say."""
    lines = []
    if score.identical:
        lines.append(f"{score.identical:,} answers repeat an earlier one to the same question")
    if score.truncated:
        lines.append(f"{score.truncated:,} answers were cut off before their end")
    if score.tokens_in or score.tokens_out:
        lines.append(f"{score.tokens_in:,} tokens in, {score.tokens_out:,} out")
    rates = {name: next(iter(metrics.values())) for name, metrics in score.prompts.items() if metrics}
    if len(rates) > 1:
        metric = next(iter(next(iter(score.prompts.values()))))
        shown = " · ".join(f"{markup(name)} {100 * rate.value:.1f} %" for name, rate in rates.items())
        lines.append(f"{metric} by prompt: {shown}")
    return lines


def score_lines(score: Score) -> list[str]:
    """The sentences under a score table."""
    check, show = score.self_check, f"{command_name()} show {markup(score.run)}"
    tasks = next(iter(score.metrics.values())).n if score.metrics else 0
    lines = [
        f"{score.answers} answers: {_outcomes(score.outcomes)}",
        f"self-check: gold passed {check.gold_passed} of {check.gold_total}, "
        f"stub passed {check.stub_passed} of {check.stub_total}",
        f"{tasks} tasks; read the answers with: {show}",
        *_facts(score),
    ]
    if score.other_profiles:
        lines.append(f"where the profiles differ: {show} --differ")
    return [*lines, *(f"note: {markup(note)}" for note in score.notes)]

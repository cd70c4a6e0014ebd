"""Progress of a suite: a table with a line for each run on a terminal, else plain lines."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from benchwright.cli.terminal import FINE, TerminalWatcher
from benchwright.display.escape import markup
from benchwright.progress import Silent, Watcher
from benchwright.records import Metric, Outcome, Score
from benchwright.running.reading import measures_of
from benchwright.running.suite import CellResult, Planned, run_cells
from benchwright.store.runfolder import Mode

PER_SECOND = 4  # redraws of the table


def headline(score: Score) -> tuple[str, str]:
    """Format the first figure of a score, "pass@1 71.2 %", and its interval, "60.1–80.9"."""
    measures = measures_of(score.track)
    name = next((each for each in measures.in_order(score.metrics) if each == measures.headline.name), None)
    if name is None:
        return "no figure", ""
    metric: Metric = score.metrics[name]
    value, interval = measures.find(name).figures(metric)
    return f"{measures.find(name).title} {value}", interval


class Board:
    """A table with a line for each run: stage, progress, and at the end the figure."""

    def __init__(self, target: Console, planned: Sequence[Planned]) -> None:
        self._console, self._draws = target, target.is_terminal
        self._lines = {each.cell.name: _Line(self, each) for each in planned}
        self._live = Live(
            get_renderable=self._table, console=target, refresh_per_second=PER_SECOND, transient=True
        )

    def __enter__(self) -> Board:
        if self._draws:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._draws:
            self._live.stop()

    def watcher(self, planned: Planned) -> Watcher:
        """Return the watcher of a run."""
        line = self._lines[planned.cell.name]
        if self._draws:
            return line
        self._console.print(f"[bold]{markup(line.place)}[/] {markup(planned.cell.name)}")
        return TerminalWatcher(self._console)

    def ended(self, result: CellResult) -> None:
        """Show the result of a finished run."""
        self._lines[result.name].close(result)
        if result.error is not None:
            self.say(f"[red]{markup(result.name)} failed:[/] {markup(result.error.message)}")

    def say(self, text: str) -> None:
        """Print markup above the table."""
        self._console.print(text, soft_wrap=True)

    def place_of(self, name: str) -> str:
        """Return the number of a run, such as "3/12"."""
        return f"{list(self._lines).index(name) + 1}/{len(self._lines)}"

    def _table(self) -> Table:
        table = Table(box=None, pad_edge=False)
        for title in ("track", "model", "state"):
            table.add_column(title, overflow="fold")
        table.add_column("", no_wrap=True)
        for line in self._lines.values():
            table.add_row(line.track, line.model, *line.cells())
        return table


def run_watched(
    planned: Sequence[Planned], target: Console, *, silent: bool, mode: Mode = "either"
) -> list[CellResult]:
    """Run all cells, with a board unless `silent`."""
    if silent:
        return run_cells(planned, lambda _: Silent(), ended=lambda _: None, mode=mode)
    with Board(target, planned) as board:
        return run_cells(planned, board.watcher, ended=board.ended, mode=mode)


class _Line(Silent):
    """A line of the board, which watches its run."""

    def __init__(self, board: Board, planned: Planned) -> None:
        self._board, self._name = board, planned.cell.name
        self.track, self.model = markup(planned.cell.track), markup(planned.cell.model)
        self._stage, self._done, self._total, self._status = "waiting", 0, 0, ""
        self._began, self._at = 0.0, 0
        self._failed = 0  # a number: this thread counts while another draws
        self._result: CellResult | None = None

    @property
    def place(self) -> str:
        """Number of the run among all."""
        return self._board.place_of(self._name)

    def begin(self, stage: str, total: int, done: int) -> None:
        """Start a stage."""
        self._stage, self._total, self._done, self._status = stage, total, done, ""
        self._began, self._at = monotonic(), done
        self._failed = 0

    def tick(self, outcome: Outcome | None) -> None:
        """Count one more."""
        self._done += 1
        self._failed += outcome is not None and outcome not in FINE

    def status(self, text: str) -> None:
        """Set the text after the count."""
        self._status = text

    def note(self, text: str) -> None:
        """Print a note above the table, with the name of the run."""
        self._board.say(f"[dim]{markup(self._name)}:[/] {markup(text)}")

    def close(self, result: CellResult) -> None:
        """Show the result from now on."""
        self._result = result

    def cells(self) -> tuple[Text | str, Text | str]:
        """Return the cells for state and details."""
        if self._result is not None:
            return _ended(self._result)
        if not self._total:
            return Text(self._stage, style="dim"), ""
        parts = [self._rate(), f"{self._failed} failed" if self._failed else "", self._status]
        return f"{self._stage} {self._done} of {self._total}", Text(" · ".join(filter(None, parts)))

    def _rate(self) -> str:
        took = monotonic() - self._began
        speed = (self._done - self._at) / took if took > 1 else 0.0
        if not speed:
            return ""
        left = (self._total - self._done) / speed
        return f"{60 * speed:.0f}/min, {left:.0f} s left"


def _ended(result: CellResult) -> tuple[Text | str, Text | str]:
    if result.score is None:
        return Text("failed", style="red"), ""
    figure, interval = headline(result.score)
    return Text(figure, style="bold"), Text(interval, style="dim")

"""Progress of commands: a bar with a rate on a terminal, else plain lines; and tables that fit its width."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console, RenderableType
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
from rich.table import Column, Table
from rich.text import Text

from benchwright.display.escape import markup
from benchwright.display.text_table import GAP
from benchwright.display.wording import singular
from benchwright.progress import Silent, Watcher
from benchwright.records import Outcome

FINE = {Outcome.passed, Outcome.scored, Outcome.undecided}  # no failures
FOLDED = 12  # characters: minimum width of a column, unless its texts are shorter
_ANY_WIDTH = 10_000
WINDOW_S = 120  # seconds over which the rate is computed: slow models answer rarely


def watcher_for(target: Console, *, quiet: bool, as_json: bool) -> Watcher:
    """Return the watcher of a command; silent with --quiet, or with --json if stderr is not a terminal."""
    return Silent() if is_silent(target, quiet=quiet, as_json=as_json) else TerminalWatcher(target)


def is_silent(target: Console, *, quiet: bool, as_json: bool) -> bool:
    """Return whether a command reports no progress: with --quiet, or --json without a terminal."""
    return quiet or (as_json and not target.is_terminal)


def console() -> Console:
    """Return a console on stderr, without colour if NO_COLOR is set or stderr is not a terminal."""
    return Console(stderr=True, highlight=False, emoji=False)


class Rate(ProgressColumn):
    """Answers per second, or per minute if less than one per second."""

    def render(self, task: Task) -> Text:
        """Return the rate of the last minutes; empty before two answers have ended."""
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min")


class TerminalWatcher:
    """A progress bar with rate, time left and failures; without a terminal, one line per stage.

    The bar reads the counts when it is drawn: updating it for each answer would cost a tenth of the time
    that the runner needs for an answer.
    """

    def __init__(self, target: Console, *, brief: bool = False) -> None:
        """With `brief`, print neither notes nor resumed stages, and remove each bar when its stage ends."""
        self._console = target
        self._brief = brief
        self._draws = target.is_terminal
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._stage, self._done, self._total, self._known, self._status = "", 0, 0, 0, ""
        self._failed = 0  # an integer, because this thread counts while another draws

    def begin(self, stage: str, total: int, done: int) -> None:
        """Start a bar, and report answers from an earlier run."""
        self._stage, self._total, self._done, self._status = stage, total, done, ""
        self._known = done
        self._failed = 0
        if done and not self._brief:
            self._console.print(f"{stage}: {done} of {total} done in an earlier run")
        if self._draws and total > done:
            self._progress = _Bar(self._console, self._show, transient=self._brief or not sys.stderr.isatty())
            self._task = self._progress.add_task(stage, total=total, completed=done, failed="", status="")
            self._progress.start()

    def tick(self, outcome: Outcome | None) -> None:
        """Count one more."""
        self._done += 1
        self._failed += outcome is not None and outcome not in FINE

    def status(self, text: str) -> None:
        """Set the text after the bar, or at the end of the stage's line."""
        self._status = text

    def _show(self, bar: Progress) -> None:
        if self._task is not None:
            failed = f"{self._failed} failed" if self._failed else ""
            bar.update(self._task, completed=self._done, failed=failed, status=markup(self._status))

    def end(self) -> None:
        """Stop the bar."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
        elif not self._draws and self._total > self._known:
            status = f" ({markup(self._status)})" if self._status else ""
            self._console.print(f"{self._stage}: {self._done} of {self._total}{status}", soft_wrap=True)

    def note(self, text: str) -> None:
        """Print a note above the bar."""
        if not self._brief:
            self._console.print(markup(text))


class _Bar(Progress):
    """A bar that calls `show` with itself before each redraw, on the drawing thread."""

    def __init__(self, target: Console, show: Callable[[Progress], None], *, transient: bool) -> None:
        self._show = show
        super().__init__(
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
            transient=transient,
        )

    def get_renderables(self) -> Iterable[RenderableType]:
        """Return what is drawn."""
        self._show(self)
        return super().get_renderables()


def fits_width(target: Console, table: Table) -> bool:
    """Return whether a table fits without wrapped lines or narrowed columns."""
    wide = target.options.update(width=_ANY_WIDTH)
    return Measurement.get(target, wide, table).maximum <= target.width


def print_whole(target: Console, table: Table, *, two_lines: bool = False) -> None:
    """Print a table below its title if its columns fit.

    In a narrow terminal print each cell on its own line or, with `two_lines` and if they fit, the cells
    after the first one together on a second line.
    """
    if table.title:
        target.print(table.title, soft_wrap=True)
        table = copy(table)
        table.title = None
    if _least_width(target, table) <= target.width:
        target.print(table)
        return
    rows = [_texts(cells) for cells in zip(*(column.cells for column in table.columns), strict=True)]
    short = [(first, " · ".join(_label_texts(others, table.columns[1:]))) for first, *others in rows]
    if two_lines and all(cell_len(line) <= target.width - GAP for _, line in short):
        lines = [f"{first}\n{'':{GAP}}{line}" for first, line in short]
    else:
        heads = [f"{each.header}: " if each.header and table.show_header else "" for each in table.columns]
        lines = [f"\n{'':{GAP}}".join(map("".join, zip(heads, texts, strict=True))) for texts in rows]
    for line in lines:
        target.print(line, soft_wrap=True)


def _texts(cells: Sequence[RenderableType]) -> list[str]:
    """The cells of a row as markup without line breaks."""
    return [markup(cell.plain) if isinstance(cell, Text) else " ".join(str(cell).split()) for cell in cells]


def _label_texts(texts: Sequence[str], columns: Sequence[Column]) -> Iterator[str]:
    """Yield texts that are not empty, and numbers with the name of their column: "1 row", "164 rows"."""
    for text, column in zip(texts, columns, strict=True):
        if text:
            name = str(column.header)
            is_number = text.replace(",", "").isdecimal()
            yield f"{text} {singular(name) if text == '1' else name}" if is_number else text


def _least_width(target: Console, table: Table) -> int:
    """Return the minimum width of a table: FOLDED characters for folding columns, others in full."""
    trial_table = copy(table)
    trial_table.columns = [_trial_column(column) for column in table.columns]
    return Measurement.get(target, target.options.update(width=_ANY_WIDTH), trial_table).minimum


def _trial_column(column: Column) -> Column:
    if column.no_wrap:
        return replace(column, min_width=max(map(_width, [column.header, *column.cells])))
    return replace(column, max_width=FOLDED) if column.overflow == "fold" else column


def _width(cell: object) -> int:
    """Return the terminal width of the longest line of a cell."""
    text = cell if isinstance(cell, Text) else Text.from_markup(str(cell))
    return max((cell_len(line) for line in text.plain.splitlines()), default=0)

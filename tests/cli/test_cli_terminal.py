"""What a run draws in a terminal and writes into a file."""

from __future__ import annotations

from io import StringIO
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from benchwright.cli.terminal import Rate, TerminalWatcher, print_whole, watcher_for
from benchwright.display.escape import escaped_code, markup
from benchwright.records import Outcome


def _console(*, terminal: bool = False, width: int = 100) -> Console:
    return Console(file=StringIO(), force_terminal=terminal, width=width, highlight=False, emoji=False)


def _written(target: Console) -> str:
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def test_a_status_stands_beside_the_bar() -> None:
    """Retries and tokens, while it runs; hostile text does nothing there."""
    target = _console(terminal=True)
    watcher = TerminalWatcher(target)
    watcher.begin("answers", 3, 0)
    watcher.tick(Outcome.model_error)
    watcher.status("[bold]12 retries\x07")
    watcher.end()
    text = Text.from_ansi(_written(target)).plain

    assert ["[bold]12 retries\\x07" in text, "1 failed" in text, "1/3" in text] == [True] * 3


def test_a_status_ends_the_line_of_a_stage_in_a_file() -> None:
    """The last one, once; the next stage begins without it."""
    target = _console()
    watcher = TerminalWatcher(target)
    watcher.begin("answers", 1, 0)
    for text in ("1 retry", "2 retries · 40 tokens"):
        watcher.status(text)
    watcher.tick(None)
    watcher.end()
    _watched(target)

    assert _written(target) == "answers: 1 of 1 (2 retries · 40 tokens)\njudging: 3 of 3\n"


def test_a_bar_has_a_rate() -> None:
    """In a second or, for a slow model, in a minute; nothing while none is known."""
    speeds = (None, 0.05, 0.5, 12.34)
    shown = [Rate().render(SimpleNamespace(finished_speed=None, speed=speed)).plain for speed in speeds]

    assert shown == ["", "3.0/min", "30.0/min", "12.3/s"]


def test_what_an_earlier_run_did_is_told_once() -> None:
    """A stage with nothing left to do needs no second line."""
    target = _console()
    watcher = TerminalWatcher(target)
    watcher.begin("self-check", 48, 48)
    watcher.end()

    assert _written(target) == "self-check: 48 of 48 done in an earlier run\n"


@pytest.mark.parametrize(
    ("quiet", "as_json", "terminal", "watched"),
    [
        (False, False, False, True),
        (True, False, True, False),
        (False, True, False, False),
        (False, True, True, True),
    ],
)
def test_who_watches(quiet: bool, as_json: bool, terminal: bool, watched: bool) -> None:
    """Nobody where it is asked to be quiet, or where JSON goes into a file."""
    watcher = watcher_for(_console(terminal=terminal), quiet=quiet, as_json=as_json)

    assert isinstance(watcher, TerminalWatcher) == watched


def _watched(target: Console, *, done: int = 0) -> None:
    watcher = TerminalWatcher(target)
    watcher.begin("judging", 3, done)
    for outcome in (Outcome.passed, Outcome.wrong, None)[done:]:
        watcher.tick(outcome)
    watcher.end()


def test_a_file_gets_one_line_a_stage() -> None:
    """Where nobody watches there is no bar and no colour."""
    target = _console()
    _watched(target)

    assert _written(target) == "judging: 3 of 3\n"


def test_a_continued_stage_says_so() -> None:
    """What an earlier run has left is told before what is done now."""
    target = _console()
    _watched(target, done=2)

    assert _written(target) == "judging: 2 of 3 done in an earlier run\njudging: 3 of 3\n"


def test_a_terminal_gets_a_bar() -> None:
    """The bar ends with the stage, and counts what failed."""
    target = _console(terminal=True)
    _watched(target)
    text = Text.from_ansi(_written(target)).plain

    assert ["judging" in text, "3/3" in text, "1 failed" in text] == [True] * 3


def test_a_bar_is_not_told_of_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks when it is drawn, some times a second: to tell it would cost more than to store the answer."""
    told = []
    monkeypatch.setattr(Progress, "update", lambda *_, **fields: told.append(fields["completed"]))
    watcher = TerminalWatcher(_console(terminal=True))
    watcher.begin("judging", 1000, 0)
    for _ in range(1000):
        watcher.tick(Outcome.passed)
        watcher.status("1 retry")
    watcher.end()

    assert told[-1] == 1000
    assert len(told) < 500


def test_notes_do_nothing() -> None:
    """A note from outside is shown as it is."""
    target = _console()
    TerminalWatcher(target).note("[bold]x[/] \x1b[31m")

    assert _written(target) == "[bold]x[/] \\x1b[31m\n"


@given(st.text(st.characters(codec=None)))
def test_readable_has_no_control_characters(text: str) -> None:
    """Whatever the text, only line ends and tabs are left that a terminal acts on."""
    left = [char for char in escaped_code(text) if not char.isprintable() and char not in "\n\t"]

    assert left == []


@given(st.text(st.characters(codec="utf-8").filter(str.isprintable)))
def test_safe_text_is_shown_as_it_is(text: str) -> None:
    """Printable text comes through rich's markup unchanged, brackets and backslashes too."""
    assert Text.from_markup(markup(text), emoji=False).plain == text


@given(st.text(st.sampled_from("\\[]/ab"), max_size=12), st.sampled_from(["", "x", "[/]", " [dim]y[/]"]))
def test_safe_text_leaves_the_markup_around_it_alone(text: str, behind: str) -> None:
    """Whatever it ends with, a tag that follows is still a tag, and nothing is added before plain text."""
    plain = Text.from_markup(f"[bold]{markup(text)}{behind}").plain

    assert plain == text + behind.replace("[dim]", "").replace("[/]", "")


def _table(*headers: str) -> Table:
    """Rows as commands have them: a long name, then figures that may not be broken."""
    table = Table(title="by group")
    table.add_column(headers[0], overflow="fold")
    for header in headers[1:]:
        table.add_column(header, justify="right", no_wrap=True)
    table.add_row(
        "[bold]replay:a-long-file-of-answers.jsonl[/]", *("85.8 % [dim]77.5–91.4[/]" for _ in headers[1:])
    )
    return table


@pytest.mark.parametrize("columns", [1, 3, 6])
@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_no_column_of_a_table_is_lost(width: int, columns: int) -> None:
    """Each heading and each figure is there whole, and a name whole or folded, in terminals of any width."""
    heads = ["model", *(f"pass@{number}" for number in range(columns))]
    target = _console(width=width)
    print_whole(target, _table(*heads))
    said = _written(target)

    assert [head for head in heads if head not in said] == []
    assert (said.count("85.8 % 77.5–91.4"), "…" in said, "[dim]" in said) == (columns, False, False)
    assert max(map(len, said.splitlines())) <= max(width, len("model: replay:a-long-file-of-answers.jsonl"))


def test_a_table_without_heads_in_a_narrow_terminal() -> None:
    """A line for each cell, the first of a row not indented; a text that is no markup stays as it is."""
    target = _console(width=10)
    table = Table(show_header=False)
    for _ in range(2):
        table.add_column(no_wrap=True)
    table.add_row("namespaces", Text("[holds] here"))
    print_whole(target, table)

    assert _written(target) == "namespaces\n  [holds] here\n"

"""What a run draws in a terminal and writes into a file."""

from __future__ import annotations

from io import StringIO
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from benchwright.cli.terminal import (
    Rate,
    TerminalWatcher,
    command_name,
    print_score,
    score_lines,
    watcher_for,
)
from benchwright.display.escape import escaped_code, markup
from benchwright.records import Metric, Outcome, Score, SelfCheck

CHECK = SelfCheck(gold_passed=2, gold_total=2, stub_passed=0, stub_total=2)
HALF = Metric(value=0.5, low=0.25, high=0.75, n=2, samples=2)


def _score(**changed: object) -> Score:
    fields: dict[str, object] = {
        "run": "runs/a",
        "track": "humaneval",
        "model": "replay:/far/away/answers.jsonl",
        "profile": "strict",
        "metrics": {"pass@1": HALF},
        "outcomes": {"wrong": 1, "passed": 2, "timed_out": 1},
        "self_check": CHECK,
        "answers": 4,
    }
    return Score(**{**fields, **changed})


def _console(*, terminal: bool = False, width: int = 100) -> Console:
    return Console(file=StringIO(), force_terminal=terminal, width=width, highlight=False, emoji=False)


def _written(target: Console) -> str:
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def test_score_table() -> None:
    """The table has the model without its folders and each metric with its interval, in per cent."""
    target = _console()
    print_score(target, _score())
    lines = _written(target).splitlines()
    title = "humaneval · profile strict · 95 % intervals over tasks"  # folded where the table is narrow

    assert " ".join(_written(target).split()).startswith(title)
    assert any("replay:answers.jsonl" in line and "50.0 % 25.0–75.0" in line for line in lines)


def test_score_lines() -> None:
    """Outcomes are told in one fixed order, and the way to the answers is a command to paste."""
    lines = score_lines(_score(notes=["[bold]two[/] answers\x07"]))

    assert lines == [
        "4 answers: 2 passed · 1 wrong · 1 timed out",
        "self-check: gold passed 2 of 2, stub passed 0 of 2",
        "2 tasks; read the answers with: benchwright show runs/a",
        r"note: \[bold]two\[/] answers\x07",
    ]


FACTS = {
    "identical": ({"identical": 2}, "2 answers repeat an earlier one to the same question"),
    "truncated": ({"truncated": 1234}, "1,234 answers were cut off before their end"),
    "tokens": ({"tokens_in": 31000, "tokens_out": 5}, "31,000 tokens in, 5 out"),
    "prompts": (
        {"prompts": {"ru-01": {"pass@1": HALF}, "[b]": {"pass@1": HALF}}},
        r"pass@1 by prompt: ru-01 50.0 % · \[b] 50.0 %",
    ),
}


@pytest.mark.parametrize("name", FACTS)
def test_further_facts_have_a_line_where_there_is_something_to_say(name: str) -> None:
    """Each a line of its own below the others; a run without them has none."""
    changed, line = FACTS[name]
    before, after = score_lines(_score()), score_lines(_score(**changed))

    assert ([new for new in after if new not in before], len(before)) == ([line], 3)


def test_one_prompt_is_no_comparison() -> None:
    """A line of one prompt would say what the table says."""
    assert score_lines(_score(prompts={"ru-01": {"pass@1": HALF}, "ru-02": {}})) == score_lines(_score())


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


def test_other_profiles_have_their_own_rows() -> None:
    """A further profile stands under the model, and a metric that it lacks is a dash."""
    target = _console()
    other = {"mera-code": {"pass@5": HALF}}
    print_score(target, _score(metrics={"pass@1": HALF, "pass@5": HALF}, other_profiles=other))
    row = next(line for line in _written(target).splitlines() if "by mera-code" in line)
    cells = [cell.strip() for cell in row.split("│")[1:4]]

    assert cells == ["by mera-code", "–", "50.0 % 25.0–75.0"]
    assert "show runs/a --differ" in _written(target)


@pytest.mark.parametrize("width", [24, 40, 60, 80, 100, 200])
def test_a_narrow_terminal_shows_every_figure(width: int) -> None:
    """An interval goes below its figure, then a metric has a line of its own; nothing is folded or cut."""
    target = _console(width=width)
    metrics = {"pass@1": HALF, "pass@5": HALF, "pass@10": HALF}
    print_score(target, _score(metrics=metrics))
    text = _written(target)

    assert "replay:answers.jsonl" in text
    assert (text.count("50.0 %"), text.count("25.0–75.0")) == (3, 3)


def test_what_an_earlier_run_did_is_told_once() -> None:
    """A stage with nothing left to do needs no second line."""
    target = _console()
    watcher = TerminalWatcher(target)
    watcher.begin("self-check", 48, 48)
    watcher.end()

    assert _written(target) == "self-check: 48 of 48 are known from an earlier run\n"


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


def test_command_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name the command that the user typed."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")

    assert (command_name(), score_lines(_score())[2].endswith("./run benchwright show runs/a")) == (
        "./run benchwright",
        True,
    )


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

    assert _written(target) == "judging: 2 of 3 are known from an earlier run\njudging: 3 of 3\n"


def test_a_terminal_gets_a_bar() -> None:
    """The bar ends with the stage, and counts what failed."""
    target = _console(terminal=True)
    _watched(target)
    text = Text.from_ansi(_written(target)).plain

    assert ["judging" in text, "3/3" in text, "1 failed" in text] == [True] * 3


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

"""How the report writes names and numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.display.escape import escaped_code, visible_name
from benchwright.display.wording import (
    counted,
    duration,
    first_names,
    in_order,
    interval,
    joined,
    outcome_label,
    percent,
    seconds,
    short_spec,
    unbroken,
)
from benchwright.records import Metric, Outcome


@given(st.text() | st.integers())
def test_visible_text_is_printable(value: str | int) -> None:
    """Nothing but printable characters, tabs and line ends is left of any name; utf-8 can hold it."""
    text = escaped_code(value)

    assert all(char.isprintable() or char in "\n\t" for char in text)
    assert text.encode().decode() == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Задача/1 ✓", "Задача/1 ✓"),
        ("a\x00b", "a\\x00b"),
        ("a\u202eb", "a\\u202eb"),
        ("a\ud800b", "a\\ud800b"),
        ("a\x1b[2J", "a\\x1b[2J"),
        ("a\tb", "a\tb"),
        ("<b>&amp;", "<b>&amp;"),
    ],
)
def test_unsafe_characters_are_escaped(text: str, shown: str) -> None:
    """Controls, bidi marks and half pairs by their escapes; markup stays, since the template escapes it."""
    assert shown == escaped_code(text)


def test_numbers_have_one_form() -> None:
    """Shares as per cents with one decimal, counts with their noun, times with digits that mean something."""
    metric = Metric(value=0.8583, low=0.775, high=0.9141, n=24, samples=10)

    assert (percent(metric.value), interval(metric)) == ("85.8", "77.5–91.4")
    assert (
        counted(1, "task"),
        counted(1200, "task"),
        counted(2, "missing", "missing"),
    ) == ("1 task", "1,200 tasks", "2 missing")
    assert (seconds(2.1), seconds(0.01581), seconds(0)) == ("2.10 s", "15.8 ms", "0.0 ms")


def test_lists_are_read_aloud() -> None:
    """Commas, and an "and" before the last."""
    assert [joined(parts) for parts in ([], ["a"], "ab", "abc")] == ["", "a", "a and b", "a, b and c"]


def test_the_first_names_and_the_number_of_others() -> None:
    """Names are escaped; up to the limit, all are listed."""
    assert first_names(["a", 2, "c\x1b"]) == "a, 2, c\\x1b"
    assert first_names([f"n{number}" for number in range(1_205)], 2) == "n0, n1 and 1,203 more"


def test_outcomes_have_one_order() -> None:
    """The records' order, whatever order they come in; words instead of underscores."""
    names = [outcome.value for outcome in Outcome]

    assert names == in_order(reversed(names))
    assert outcome_label("no_entry_point") == "no entry point"


@pytest.mark.parametrize(
    ("spec", "short"),
    [
        ("replay:/home/someone/secret/answers.jsonl", "replay:answers.jsonl"),
        ("transformers:/home/someone/models/coder/", "transformers:coder"),
        ("openai:org/model", "openai:org/model"),
        ("gold:", "gold:"),
        ("plain", "plain"),
    ],
)
def test_specs_lose_their_folders(spec: str, short: str) -> None:
    """A report is sent to others: where files lay on this machine is nobody's business."""
    assert short == short_spec(spec)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a model", "a model"),
        ("", "(blank: empty)"),
        (" ", "(blank: U+0020)"),
        ("\u3164\u2800", "(blank: U+3164 U+2800)"),
        ("\u0301", "(blank: U+0301)"),
        ("\u200b", "\\u200b"),
    ],
)
def test_a_name_is_never_blank(name: str, shown: str) -> None:
    """What would be drawn as nothing is spelled out: a link without a letter cannot be clicked."""
    assert shown == visible_name(name)


def test_a_per_cent_sign_stays_with_its_number() -> None:
    """Nothing else changes, and no line ends between the two."""
    assert unbroken("95 % of 3, p < 0.001 % 2") == "95\u00a0% of 3, p\u00a0<\u00a00.001\u00a0% 2"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.4, "0 s"),
        (90, "90 s"),
        (300, "5 min"),
        (86_400, "24.0 h"),
        (100 * 86_400 + 1, "more than 100 days"),
        (1e308, "more than 100 days"),
    ],
)
def test_times_for_people(seconds: float, text: str) -> None:
    """Short, whatever a server asks for."""
    assert duration(seconds) == text

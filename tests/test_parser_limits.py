"""Texts that Python's own parser is slow at are told from all others."""

from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.parser_limits import LONG_LINE, MOST_MARKS, SlowSource, long_run_of_marks, slow_to_parse
from kit.growth import FEW, PER_DOUBLING, growth
from kit.needs import need_that

MARKS = "\u0301\u0327"  # of different classes, so that they must be sorted
HALFWIDTH = "\uff9e\u0301"  # a letter by category that becomes a combining mark


@pytest.mark.parametrize("pair", [MARKS, HALFWIDTH], ids=["marks", "halfwidth"])
def test_a_long_run_of_marks_is_refused(pair: str) -> None:
    """One more than the limit, wherever it stands; the line is said."""
    most = pair * (MOST_MARKS // 2)

    assert slow_to_parse(f"x = 1\na{most} = 2\n") is None
    assert slow_to_parse(f"x = 1\na{most}{pair[0]} = 2\n") == SlowSource(
        f"more than {MOST_MARKS} combining characters in a row", 2
    )


@pytest.mark.parametrize(
    "text",
    [
        "# " + "─" * 1000,
        '"""' + "Верни сумму чисел. " * 100 + '"""',
        '"""' + "数" * 1000 + '"""',
        "x = '" + "🎉" * 500 + "'",
        "x = '" + "e\u0301" * 1000 + "'",
        "x = {" + "1: 2, " * 10_000 + "}",
        "\n".join(f'print(f"{{x}} {at}")' for at in range(10_000)),
        'x = f"' + "a" * 50_000 + '{x}"',
        "x = '" + "{a}" * 20_000 + "'",
    ],
    ids=[
        "rule",
        "Russian",
        "Chinese",
        "emoji",
        "accents",
        "dict",
        "f-strings",
        "long f-string",
        "no f-string",
    ],
)
def test_what_people_write_is_let_through(text: str) -> None:
    """Long lines and letters of any script."""
    assert slow_to_parse(text) is None


def test_fields_of_a_long_f_string_are_refused() -> None:
    """Many on one line; over several lines they cost nothing out of the ordinary."""
    many = "{x}" * LONG_LINE

    assert slow_to_parse(f'a = 1\ny = f"{many}"\n') == SlowSource(
        "too many fields of an f-string on one line", 2
    )
    assert slow_to_parse('y = f"""' + "{x}\n" * LONG_LINE + '"""\n') is None


BRACES = "{a: 1}, " * LONG_LINE
FIELDS = "{x}" * LONG_LINE


@pytest.mark.parametrize(
    "text",
    [
        f"inputs = [{BRACES}'of', \"if\"]",
        f"inputs = ['{BRACES}', 'ef', 'f']",
        f"inputs = [{BRACES}]  # f'{{x}}'",
        f"inputs = [{BRACES}f'{{x}}']",
        f"text = f'{{x}}', '{BRACES}'",
        f'text = r"""f\'{BRACES}"""',
        rf"text = 'f\'{BRACES}'",
        f"# f'{BRACES}",
    ],
    ids=["dicts", "string", "comment", "one field", "two strings", "quoted", "escaped", "commented out"],
)
def test_braces_that_are_no_fields_are_let_through(text: str) -> None:
    """Dictionaries and plain strings on one long line, whatever else the line says of f and quotes."""
    assert slow_to_parse(text) is None


@pytest.mark.parametrize(
    "text",
    [
        f'y = F"{FIELDS}"',
        f"y = rf'{FIELDS}'",
        f'y = fR"""{FIELDS}"""',
        f"y = 'a' f'{FIELDS}'",
        rf'y = "\\" + f"{FIELDS}"',
        f"# '\ry = f'{FIELDS}'",
        f"# '\ny = f'{FIELDS}'",
        f"y = f'{FIELDS}",
        f"'''\n'''; y = f'''\n{FIELDS}'''",
    ],
    ids=["F", "rf", "fR", "joined", "backslash", "carriage return", "comment", "open", "three quotes"],
)
def test_fields_are_found_behind_anything(text: str) -> None:
    """Other prefixes and quotes, and what could be taken for the beginning of a string before them."""
    assert slow_to_parse(text) is not None


@pytest.mark.parametrize("piece", ["f'", 'f"""', "'\\", "\\", "'''\"", "#'", "f'{"])
def test_the_search_for_fields_grows_with_the_text(piece: str) -> None:
    """Strings that never end, and texts of backslashes and quotes."""
    crowded = f"x = '{'{' * LONG_LINE * 2}'\n"
    made = growth(slow_to_parse, lambda size: crowded + piece * (size // len(piece)), 64_000, rounds=FEW)

    assert made < PER_DOUBLING


def test_the_limit_on_fields_is_still_needed() -> None:
    """CPython looks for each field from the line's beginning."""
    need_that(sys.version_info < (3, 12), "f-strings are parsed by the grammar since 3.12")
    slower = growth(ast.parse, lambda size: 'y = f"' + "{x}" * (size // 3) + '"', 12_000, rounds=FEW)

    assert slower > PER_DOUBLING


def test_the_limit_on_marks_is_still_needed() -> None:
    """CPython sorts them by insertion."""
    assert growth(ast.parse, lambda size: "a" + MARKS * (size // 2), 1_000, rounds=FEW) > PER_DOUBLING


@given(st.text(max_size=1000))
def test_any_text_is_told(text: str) -> None:
    """No short text is refused, and the answer never raises."""
    assert slow_to_parse(text[:MOST_MARKS]) is None
    assert long_run_of_marks(text) < len(text)

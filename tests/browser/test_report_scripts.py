"""The page's own functions, each by itself: the scanner, the diff, names of characters, order of cells."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

from kit.processes import cpu_s_below

PIECES = [
    *(
        "def f(x):\n",
        "    return x\n",
        "'",
        '"',
        "'''",
        '"""',
        "\\",
        "\n",
        "# c\n",
        "rb'x'",
        'f"{y}"',
        "0x1F",
        "1.5e-3",
    ),
    *(
        "@d.e\n",
        "лямбда = 1\n",
        "class A:\n",
        "\u202e",
        "\x00",
        "😀",
        "print",
        "match",
        " ",
        "\t",
        "1_000",
        "...",
        "x1",
    ),
]


@pytest.fixture(scope="module")
def functions(chromium: Any) -> Iterator[Any]:
    """A blank page that knows the functions of the report which need no page."""
    names = ("visible.js", "python.js", "diff.js")
    folder = files("benchwright.report") / "assets"
    source = "\n".join((folder / name).read_text(encoding="utf-8") for name in names)
    context = chromium.new_context()
    page = context.new_page()
    page.goto("about:blank")
    page.add_script_tag(content=source)
    yield page
    context.close()


def sources() -> list[str]:
    """Programs and scraps of programs, put together at random but always the same."""
    chance = random.Random(7)
    return ["".join(chance.choices(PIECES, k=chance.randrange(1, 30))) for _ in range(400)]


def test_the_scanner_loses_nothing(functions: Any) -> None:
    """The pieces of any text, joined, are the text."""
    texts = sources()
    joined = functions.evaluate(
        "(texts) => texts.map((text) => tokens(text).map((piece) => piece[1]).join(''))", texts
    )

    assert texts == joined


def test_the_scanner_knows_python(functions: Any) -> None:
    """Each kind of token gets its class."""
    source = "@cache\ndef f(x: int = 0x1F) -> str:\n    # why\n    return rf\"{x}\\\"\" + '''a\nb'''\n"
    pieces = functions.evaluate("(text) => tokens(text)", source)
    found = [(kind, text) for kind, text in pieces if kind]

    assert found == [
        ("d", "@cache"),
        ("k", "def"),
        ("f", "f"),
        ("b", "int"),
        ("n", "0x1F"),
        ("b", "str"),
        ("c", "# why"),
        ("k", "return"),
        ("s", 'rf"{x}\\""'),
        ("s", "'''a\nb'''"),
    ]


def test_the_scanner_ends_what_does_not_end(functions: Any) -> None:
    """An unfinished string ends with its line, an unfinished triple one with the text."""
    pieces = functions.evaluate("""() => [tokens("a = 'x\\nb"), tokens('a = \"\"\"x\\nb')]""")

    assert pieces[0] == [["", "a = "], ["s", "'x"], ["", "\nb"]]
    assert pieces[1] == [["", "a = "], ["s", '"""x\nb']]


@pytest.mark.parametrize(
    "text", ["'" * 40_000, '"""' + "\\" * 39_990, "'\\" * 20_000, "0" * 40_000, "ж" * 40_000]
)
def test_the_scanner_is_quick_on_anything(functions: Any, text: str) -> None:
    """The longest text that is coloured takes less than a second of processor time, whatever it is made of."""
    tries = []
    for _ in range(3):
        before = cpu_s_below(os.getpid())
        functions.evaluate("(text) => { tokens(text); }", text)
        tries.append(cpu_s_below(os.getpid()) - before)

    assert min(tries) < 1


def test_a_diff_holds_both_texts(functions: Any) -> None:
    """Without what was added it is the one, without what was removed the other."""
    chance = random.Random(11)
    pairs = [
        ["\n".join(chance.choices("abcd", k=chance.randrange(1, 25))) for _ in range(2)] for _ in range(300)
    ]
    rows = functions.evaluate("(pairs) => pairs.map(([a, b]) => diff(a, b))", pairs)
    sides = [
        ["\n".join(line for sign, line in each if sign != skipped) for skipped in ("+", "-")] for each in rows
    ]

    assert pairs == sides


def test_a_diff_is_as_short_as_can_be(functions: Any) -> None:
    """The common lines are a longest common subsequence, against a plain count of our own."""
    chance = random.Random(13)
    pairs = [
        ["\n".join(chance.choices("abc", k=chance.randrange(1, 12))) for _ in range(2)] for _ in range(200)
    ]
    counts = functions.evaluate("(pairs) => pairs.map(([a, b]) => changes(diff(a, b)))", pairs)
    expected = [
        len(a) + len(b) - 2 * _common(a, b) for a, b in ((a.split("\n"), b.split("\n")) for a, b in pairs)
    ]

    assert expected == counts


def _common(a: list[str], b: list[str]) -> int:
    """The length of a longest common subsequence, row by row."""
    row = [0] * (len(b) + 1)
    for x in a:
        above, row = row, [0] * (len(b) + 1)
        for j, y in enumerate(b):
            row[j + 1] = above[j] + 1 if x == y else max(above[j + 1], row[j])
    return row[-1]


def test_a_diff_has_limits(functions: Any) -> None:
    """Two long texts that have nothing in common are not compared; with common ends they are."""
    sizes = functions.evaluate(
        """() => {
            const many = (name, count) => Array.from({ length: count }, (_, i) => name + i).join("\\n");
            const alike = [many("a", 5000) + "\\nx\\n" + many("b", 5000), many("a", 5000) + "\\ny\\n" + many("b", 5000)];
            return [diff(many("a", 2000), many("b", 2000)), changes(diff(...alike))];
        }"""
    )

    assert sizes == [None, 2]


def test_the_nearest_canonical_text_is_compared(functions: Any) -> None:
    """With or without its docstring: whichever leaves fewer lines different."""
    rows = functions.evaluate(
        """() => nearestDiff(["def f():\\n  'doc'\\n  pass", "def f():\\n  pass"], "def f():\\n  pass\\n")"""
    )

    assert rows == [[" ", "def f():"], [" ", "  pass"]]


def test_unsafe_characters_get_a_name(functions: Any) -> None:
    """Controls as their pictures, others by number; tabs and line ends stay what they are."""
    text = functions.evaluate(
        """() => addText(document.createElement("p"), "a\\t\\n\\0\\x1b\\x7f\\u202e\\ud800b\\u{1f600}").textContent"""
    )

    assert text == "a\t\n\u2400\u241b\u2421U+202EU+D800b\U0001f600"

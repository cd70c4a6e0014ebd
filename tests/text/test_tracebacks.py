"""Tracebacks in texts: four languages, quoted or not, and no cost beyond the length of the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.text.tracebacks import MAX_FOUND, find_tracebacks

PYTHON = """Traceback (most recent call last):
  File "scale.py", line 3, in weigh
    return table[name]
KeyError: 'apple'"""
JAVA = """Exception in thread "main" java.lang.IllegalStateException: closed
\tat ours.Scale.weigh(Scale.java:12)
\tat ours.Main.main(Main.java:3)
Caused by: java.io.IOException: gone
\tat ours.Disk.read(Disk.java:8)
\t... 2 more"""
SCRIPT = """TypeError: weigh is not a function
    at main (/ours/scale.js:1:2)
    at Object.<anonymous> (/ours/scale.js:10:2)"""
GO = """panic: runtime error: index out of range [5] with length 3

goroutine 1 [running]:
main.main()
\t/ours/scale.go:8 +0x1d"""
ALL = {"python": PYTHON, "java": JAVA, "javascript": SCRIPT, "go": GO}


@pytest.mark.parametrize("language", sorted(ALL))
def test_one_traceback(language: str) -> None:
    (found,) = find_tracebacks(f"It fails:\n\n{ALL[language]}\nWhat now?")
    assert (found.language, found.text.rstrip()) == (language, ALL[language])
    assert (found.first_line, found.last_line) == (3, 2 + len(ALL[language].split("\n")))


def test_types_and_messages() -> None:
    found = find_tracebacks("\n".join(ALL.values()))
    assert [(each.error, each.message) for each in found] == [
        ("KeyError", "'apple'"),
        ("java.lang.IllegalStateException", "closed"),
        ("TypeError", "weigh is not a function"),
        ("panic", "runtime error: index out of range [5] with length 3"),
    ]


@pytest.mark.parametrize("margin", ["> ", "    ", "E   "])
def test_a_quoted_traceback(margin: str) -> None:
    quoted = "\n".join(margin + line for line in PYTHON.split("\n"))
    (found,) = find_tracebacks(quoted)
    assert found.error == "KeyError"


def test_a_chain_is_one_for_each_error() -> None:
    text = f"{PYTHON}\n\nDuring handling of the above exception, another exception occurred:\n\n{PYTHON}"
    assert len(find_tracebacks(text)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "We saw a KeyError: 'apple' here.",
        "java.lang.IllegalStateException: closed",
        "TypeError: nope\nthen nothing",
        "Traceback (most recent call last):\nKeyError: no frames",
        "panic: nothing follows",
        "the word Traceback (most recent call last): in a sentence",
        "at the end (of it.java:3)",
    ],
)
def test_what_is_none(text: str) -> None:
    assert find_tracebacks(text) == []


@given(
    st.lists(
        st.sampled_from([*ALL.values(), "", "text", "  indented", "at x (y:1:2)", "KeyError: 1"]), max_size=12
    )
)
def test_found_lines_are_those_of_the_text(parts: list[str]) -> None:
    text = "\n".join(parts)
    lines, before = text.split("\n"), 0
    for each in find_tracebacks(text):
        assert before < each.first_line <= each.last_line <= len(lines)
        assert each.text == "\n".join(lines[each.first_line - 1 : each.last_line])
        before = each.last_line


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    assert len(find_tracebacks(text)) <= MAX_FOUND


@pytest.mark.parametrize(
    "piece",
    [
        "Traceback (most recent call last):\n",
        "Traceback (most recent call last):\n" + "  x\n" * 400,
        "ours.Error: x\n",
        "at ours.a(",
        "panic: x\n",
        "a.b",
        "Error\n",
    ],
)
def test_the_cost_grows_with_the_text(piece: str) -> None:
    def cost(length: int) -> float:
        text = piece * (length // len(piece))
        begin = time.process_time()
        find_tracebacks(text)
        return time.process_time() - begin

    cost(1000)
    small, large = max(cost(1 << 17), 1e-3), cost(1 << 20)
    assert large < 40 * small

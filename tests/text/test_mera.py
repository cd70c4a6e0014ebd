"""MERA's two rules for generations, quirks included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.fences import process_mera_code, process_mera_text, program

MERA_CODE = {
    "none": (None, ""),
    "empty": ("", ""),
    "raw body": ("    return 1\n", "    return 1\n"),
    "prose": ("I cannot.", "I cannot."),
    "python": ("```python\nx\n```", "\nx\n"),
    "prose around": ("So:\n```python\nx\n```\nDone.", "\nx\n"),
    "two blocks": ("```python\na\n```\n```python\nb\n```", "\na\n\nb\n"),
    "py": ("```py\nx\n```", "\n"),
    "Python": ("```Python\nx\n```", "\n"),
    "python3": ("```python3\nx\n```", "\n"),
    "python and sh": ("```sh\nls\n```\n```python\nx\n```", "\nx\n"),
    "no tag": ("```\nx\n```", "```\nx\n```"),
    "indented fence": ("  ```python\n  x\n  ```", "  ```python\n  x\n  ```"),
    "tilde fence": ("~~~python\nx\n~~~", "~~~python\nx\n~~~"),
    "space after the tag": ("```python \nx\n```", "```python \nx\n```"),
    "title after the tag": ("```python title=a\nx\n```", "```python title=a\nx\n```"),
    "CRLF": ("```python\r\nx\r\n```", "```python\r\nx\r\n```"),
    "tag with a hyphen": ("```python-x\nx\n```", "\n"),
    "Cyrillic tag": ("```питон\nx\n```", "\n"),
    "tag with a dot": ("```py.x\nx\n```", "```py.x\nx\n```"),
    "unterminated": ("```python\nx\ny", "\nx\ny"),
    "unterminated py": ("```py\nx\ny", "\n"),
    "closed, then unterminated": ("```python\na\n```\n```python\nb", "\na\n"),
    "closed by the next opening": ("```python\na\n``\n```python", "\na\n``\n"),
    "two backticks do not close": ("```python\na\n``\n", "\na\n``\n"),
    "fence glued to code": ("```python\nx```", "\nx```"),
    "text after the closing fence": ("```python\nx\n```yes", "\nx\n"),
    "four backticks": ("````python\nx\n````", "````python\nx\n````"),
    "closed by four": ("```python\nx\n````", "\nx\n"),
    "empty block": ("```python\n```", "\n```"),
    "block of one blank line": ("```python\n\n```", "\n\n"),
    "block inside reasoning": ("<think>\n```python\na\n```\n</think>\n```python\nb\n```", "\na\n\nb\n"),
    "opened inside a block": ("```sh\n```python\nx\n```", "\n"),
}

MERA_TEXT = {
    "none": (None, ""),
    "empty": ("", ""),
    "raw body": ("    return 1\n", "    return 1\n"),
    "python": ("```python\nx\n```", "\nx\n"),
    "python3": ("```python3\nx\n```", "3\nx\n"),
    "py": ("```py\nx\n```", "```py\nx\n```"),
    "Python": ("```Python\nx\n```", "```Python\nx\n```"),
    "no tag": ("```\nx\n```", "```\nx\n```"),
    "prose before": ("So:\n```python\nx\n```", "So:\n```python\nx\n```"),
    "newline after": ("```python\nx\n```\n", "```python\nx\n```\n"),
    "newline before": ("\n```python\nx\n```", "\n```python\nx\n```"),
    "tildes": ("~~~python\nx\n~~~", "\nx\n"),
    "any character": ("ЖЖЖpython\nx\nЖЖЖ", "\nx\n"),
    "letters": ("nnnpythonnn", ""),
    "three spaces": ("   python x   ", "   python x   "),
    "three newlines": ("\n\n\npython x\n\n\n", "\n\n\npython x\n\n\n"),
    "three tabs": ("\t\t\tpython x\t\t\t", "\t\t\tpython x\t\t\t"),
    "three returns": ("\r\r\rpython x\r\r\r", " x"),
    "two blocks": ("```python\na\n```\n```python\nb\n```", "\na\n```\n```python\nb\n"),
    "unterminated": ("```python\nx", "```python\nx"),
    "nothing inside": ("```python```", ""),
    "four backticks": ("````python\nx\n````", "````python\nx\n````"),
}


@pytest.mark.parametrize(("text", "expected"), MERA_CODE.values(), ids=MERA_CODE)
def test_mera_code(text: str | None, expected: str) -> None:
    """Blocks tagged exactly `python`; without one, the raw text."""
    assert process_mera_code(text) == expected


@pytest.mark.parametrize(("text", "expected"), MERA_TEXT.values(), ids=MERA_TEXT)
def test_mera_text(text: str | None, expected: str) -> None:
    """The text between XXXpython and XXX, for any X except space, newline and tab; otherwise the raw text."""
    assert process_mera_text(text) == expected


def test_program_is_plain_concatenation() -> None:
    """A body without a leading newline is appended to the docstring's quotes, as in MERA."""
    head = 'def f():\n    """Doc."""'

    assert program(head, "    return 1") == 'def f():\n    """Doc."""    return 1'


PIECES = st.sampled_from(["```", "`", "python", "py", "\n", "\n```", "```python\n", "x = 1", " ", "~~~", "-"])
TEXTS = st.lists(PIECES, max_size=12).map("".join)


def by_lines(text: str) -> str:
    """Return the result of MERA Code's rule, line by line, for texts with at most one open block."""
    blocks: list[tuple[str, list[str]]] = []
    open_block: tuple[str, list[str]] | None = None
    for line in text.split("\n"):
        tag = line[3:]
        if open_block is not None and open_block[1] and line.startswith("```"):
            blocks.append(open_block)
            open_block = None
        elif open_block is not None:
            open_block[1].append(line)
        elif line.startswith("```") and tag and all(letter.isalnum() or letter in "_-" for letter in tag):
            open_block = (tag, [])
    if blocks:
        return "\n" + "\n".join("\n".join([*lines, ""]) for tag, lines in blocks if tag == "python")
    if open_block is not None and text.count("\n") > 0 and open_block[1]:
        return "\n" + ("\n".join(open_block[1]) if open_block[0] == "python" else "")
    return text


@settings(deadline=None)
@given(lines=st.lists(st.sampled_from(["```python", "```", "x", "", "  y", "```sh"]), max_size=9))
def test_mera_code_against_a_reading_by_lines(lines: list[str]) -> None:
    """The rule in its usual description gives the same, for blocks of at least one line."""
    text = "\n".join(["a", *lines])

    assert process_mera_code(text) == by_lines(text)


@settings(deadline=None)
@given(text=TEXTS)
def test_text_without_its_marks_is_left_alone(text: str) -> None:
    """Either rule returns the raw text or a part of it, and without fences the raw text."""
    plain = text.replace("`", "").replace("~", "").replace("python", "")

    assert process_mera_code(plain) == plain
    assert process_mera_text(plain) == plain
    assert process_mera_text(text) in text

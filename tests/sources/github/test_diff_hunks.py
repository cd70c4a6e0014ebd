"""Line numbers of remarks from hunks, and replacement lines from suggestion blocks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.github.diff_hunks import hunk_end, suggested_lines

LINE = st.tuples(st.sampled_from(" +-"), st.text("ab+-@ \\", max_size=5))


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.lists(LINE, min_size=1), st.booleans())
def test_the_last_line_of_a_hunk(old: int, new: int, lines: list[tuple[str, str]], ended: bool) -> None:
    """Its number is git's: lines of the other side do not count."""
    body = "".join(f"\n{sign}{text}" for sign, text in lines)
    end = hunk_end(f"@@ -{old},9 +{new},9 @@ def f():{body}" + "\n\\ No newline at end of file" * ended)
    side = "old" if lines[-1][0] == "-" else "new"
    counted = [sign for sign, _ in lines if sign != ("+" if side == "old" else "-")]

    assert end is not None
    assert (end.line, end.side) == ((old if side == "old" else new) + len(counted) - 1, side)


@pytest.mark.parametrize("hunk", ["", "...", "@@ -1 @@\n+a", "@@ -1,2 +1,2 @@", "@@ -9999999999 +1 @@\n+a"])
def test_no_hunk(hunk: str) -> None:
    """A truncated or invalid hunk has no line."""
    assert hunk_end(hunk) is None


@given(st.text())
def test_any_text(text: str) -> None:
    """Neither parser fails, and a replacement has complete lines."""
    hunk_end(text)
    found = suggested_lines(f"```suggestion\n{text}")

    assert found is not None and (not found or found.endswith("\n"))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Use this:\n```suggestion\nreturn x\n```\nbecause", "return x\n"),
        ("```suggestion\r\nreturn x\r\n```\r\n", "return x\n"),
        ("```suggestion\n```", ""),
        ("```suggestion\n\n```", "\n"),
        ("````suggestion\n```\ntext\n```\n````", "```\ntext\n```\n"),
        ("~~~ suggestion\na\n~~~~", "a\n"),
        ("  ```suggestion\na\n  ```", "a\n"),
        ("```suggestion\nnot closed", "not closed\n"),
        ("```python\nreturn x\n```", None),
        ("see ```suggestion", None),
        ("    ```suggestion\na\n```", None),
        ("```suggestions\na\n```", None),
    ],
)
def test_suggestion_blocks(body: str, expected: str | None) -> None:
    """A Markdown fence with the word, up to a fence of at least its length."""
    assert suggested_lines(body) == expected

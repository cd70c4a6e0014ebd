"""Fenced blocks of Markdown as models write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.text.fences import Block, find_blocks, locate_blocks


def block(content: str, tag: str = "", *, closed: bool = True) -> Block:
    return Block(tag=tag, content=content, closed=closed)


CASES = {
    "none": ("x = 1\n", []),
    "empty text": ("", []),
    "plain": ("```\na\nb\n```\n", [block("a\nb")]),
    "at the end without a newline": ("```\na\n```", [block("a")]),
    "tildes": ("~~~\na\n~~~\n", [block("a")]),
    "five": ("`````\na\n```\nb\n`````\n", [block("a\n```\nb")]),
    "closed by more": ("```\na\n`````\n", [block("a")]),
    "not closed by the other kind": ("```\na\n~~~\nb\n```\n", [block("a\n~~~\nb")]),
    "two": ("```\na\n```\ntext\n~~~\nb\n~~~\n", [block("a"), block("b")]),
    "empty block": ("```\n```\n", [block("")]),
    "two backticks": ("``\na\n``\n", []),
    "inline": ("```x = 1``` is it\ny\n", []),
    "backticks in tildes' info": ("~~~ `x`\na\n~~~\n", [block("a")]),
    "indented": ("  ```\n  a\n    b\n  ```\n", [block("a\n  b")]),
    "indented by a tab": ("\t```\n\ta\n\t```\n", [block("a")]),
    "indented, blank line": ("   ```\n   a\n\n   b\n   ```\n", [block("a\n\nb")]),
    "only the fence indented": ("  ```\na\n  b\n  ```\n", [block("a\n  b")]),
    "closing fence elsewhere": ("    ```\n    a\n```\n", [block("a")]),
    "deep fence is content": ("```\na\n    ```\nb\n```\n", [block("a\n    ```\nb")]),
    "unterminated": ("```py\na\nb", [block("a\nb", "py", closed=False)]),
    "unterminated second": ("```\na\n```\n```\nb", [block("a"), block("b", closed=False)]),
    "bare fence at the end": ("a\n```\n", []),
    "tagged fence at the end": ("```python\n", [block("", "python", closed=False)]),
    "glued closing fence": ("```py\nreturn x```\ntext", [block("return x", "py")]),
    "glued, then another": ("```py\na```\ntext\n```py\nb\n```", [block("a", "py"), block("b", "py")]),
    "never closed, then another": ("```py\na\n```py\nb\n```\n", [block("a", "py"), block("b", "py")]),
    "code after the fence": ("```def f():\n    pass\n```\n", [block("def f():\n    pass")]),
    "import after the fence": ("```import re\nx\n```\n", [block("import re\nx")]),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_blocks(text: str, expected: list[Block]) -> None:
    """Each block has its content, and whether it was closed."""
    assert find_blocks(text) == expected


@pytest.mark.parametrize(
    ("info", "tag"),
    [
        ("", ""),
        ("py", "py"),
        ("Python", "python"),
        ("PYTHON", "python"),
        ("python3", "python3"),
        (" python ", "python"),
        ("python title=x", "python"),
        ("python:solution.py", "python"),
        ("python{1,3}", "python"),
        ("{.python .numberLines}", "python"),
        ("language-python", "python"),
        ("lang-py", "py"),
        ("c++", "c++"),
        ("питон", "питон"),
        ("!!!", ""),
    ],
)
def test_tags(info: str, tag: str) -> None:
    """The tag is the first word of the info string, in lower case, whatever surrounds it."""
    assert find_blocks(f"```{info}\na\n```\n")[0].tag == tag


LINES = st.lists(
    st.sampled_from(["```", "```py", "~~~", "  ```", "a", "    b", "", "`", "x```"]), max_size=10
)


@settings(deadline=None)
@given(lines=LINES)
def test_only_the_last_block_can_be_open(lines: list[str]) -> None:
    """A block without an end continues to the end of the text, so no other block follows."""
    blocks = find_blocks("\n".join(lines))

    assert all(item.closed for item in blocks[:-1])


@settings(deadline=None)
@given(content=st.lists(st.text(alphabet="ab `~", max_size=8), max_size=6), run=st.integers(3, 6))
def test_a_longer_fence_holds_any_content(content: list[str], run: int) -> None:
    """A fence longer than all runs inside it returns the content unchanged."""
    text = "\n".join(content)
    fence = "`" * max(run, 1 + max((len(line) for line in content), default=0))

    assert find_blocks(f"{fence}x\n{text}\n{fence}\n") == [block(text, "x")]


def test_depth_counts_tabs_as_four_columns() -> None:
    """A fence after a tab is content of a block that begins at the margin; after three spaces it closes the
    block."""
    assert [block.content for block in find_blocks("```py\na\n\t```\nb\n```\n")] == ["a\n\t```\nb"]
    assert [block.content for block in find_blocks("```py\na\n   ```\nb\n")] == ["a"]


@settings(deadline=None)
@given(lines=LINES)
def test_blocks_lie_on_their_lines(lines: list[str]) -> None:
    """The lines of a block are those of its content, whatever was removed from them."""
    for each in locate_blocks("\n".join(lines)):
        content = each.block.content.split("\n") if each.last_line >= each.first_line else []
        there = lines[each.first_line - 1 : each.last_line]

        assert [line.strip() in text for line, text in zip(content, there, strict=True)] == [True] * len(
            there
        )

"""Lines and tokens of code."""

from __future__ import annotations

import pytest

from benchwright.text.syntax import code_size


@pytest.mark.parametrize(
    ("program", "lines", "tokens"),
    [
        ("", 0, 0),
        ("# only a remark\n\n", 0, 0),
        ("x = 1  # one\n\ny = x\n", 2, 6),
        ('def f():\n    """Two\n    lines."""\n    return 1\n', 4, 8),
        ("f(\n    1,\n\n    2,\n)\n", 4, 7),
        ("x = (1,\n", 1, 5),
        ("x = '''never closed\n", 1, 2),
    ],
)
def test_code_is_counted(program: str, lines: int, tokens: int) -> None:
    """Empty lines and comments do not count; a multi-line string counts all of its lines; broken code counts
    up to its fault."""
    assert code_size(program) == {"code_lines": lines, "code_tokens": tokens}

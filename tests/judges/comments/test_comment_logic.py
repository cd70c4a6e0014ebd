"""Logic by rule: which lines are key, which comments cover them, and which only read code aloud."""

from __future__ import annotations

import pytest

from benchwright.judges.comments.accuracy import key_lines, logic
from benchwright.judges.comments.given_code import GivenCode
from kit.comment_kit import a_spec, answered

CODE = """def mean(values):
    total = 0
    for value in values:
        total += value
    if not values:
        raise ValueError("no values")
    return total / len(values)
"""


def test_key_lines() -> None:
    """Those of the task, those annotated, where the whole begins, or branches, loops, returns and raises."""
    assert key_lines(GivenCode(a_spec(CODE, (2, "a"), key_lines=[7, 3]))) == [3, 7]
    assert key_lines(GivenCode(a_spec(CODE, (4, "a"), (2, "b")))) == [2, 4]
    assert key_lines(GivenCode(a_spec(f"import x\n\n\n{CODE}", comment="Mean."))) == [4]
    assert key_lines(GivenCode(a_spec("x = 1\n", comment="One."))) == [1]
    assert key_lines(GivenCode(a_spec(CODE))) == [3, 5, 6, 7]
    assert key_lines(
        GivenCode(a_spec("function f(a) { a.return(); }\nthrow new Error();\n", lang="JavaScript"))
    ) == [2]


def test_a_comment_covers_its_neighbours() -> None:
    """Lines at most one away, and documentation what it says of results and errors."""
    beside = answered(CODE.replace("    if", "    # an empty list has no mean\n    if"), a_spec(CODE))
    assert (logic(beside).covered, logic(beside).key_lines) == (2, 4)
    doc = '    """Average.\n\n    Returns:\n        The mean.\n\n    Raises:\n        ValueError: For none.\n    """\n'
    documented = answered(CODE.replace("\n", f"\n{doc}", 1), a_spec(CODE))
    assert logic(documented).covered == 2 and logic(documented).coverage == 0.5


@pytest.mark.parametrize(
    ("code", "comment", "echo"),
    [
        ("i += 1\n", "increment i by one", True),
        ("i += 1\n", "увеличиваем i на единицу", True),
        ("i += 1\n", "the header line is not counted", False),
        ("total = 0\n", "Set total to zero.", True),
        ("total = 0\n", "Nothing has been sold yet.", False),
        ("return max_width\n", "return the maxWidth", True),
        ("return width * height\n", "The area of the rectangle", False),
        ("for item in items:\n    pass\n", "loop through each item in the items", True),
        ("x = None\n", "-----", True),
        ("x = None\n", "x", True),
    ],
)
def test_an_echo_adds_nothing(code: str, comment: str, echo: bool) -> None:
    """In either language, spelled either way; a comment without a word is one too."""
    found = logic(answered(f"# {comment}\n{code}", a_spec(code)))
    assert (found.echo, found.value) == ((1.0, 0.0) if echo else (0.0, 1.0))


def test_documentation_echoes_its_declaration() -> None:
    """Of the name and parameters alone."""
    code = "def calculate_area(width, height):\n    return width * height\n"
    for text, echo in (("Calculate area.", 1.0), ("Area of a rectangle in pixels.", 0.0)):
        program = code.replace("\n", f'\n    """{text}"""\n', 1)
        assert logic(answered(program, a_spec(code))).echo == echo

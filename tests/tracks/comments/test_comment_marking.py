"""Comments inserted into code: the code does not change, and each comment belongs to the intended line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Annotation
from benchwright.lang.comment_reading import first_change, read_comments
from benchwright.tracks.comments.answers import annotated, annotations_in, as_comment, commented_code
from kit.examples import USUAL, examples
from kit.smartcoding_rows import CODE

HARD = (
    "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\nimport os\n\n\n@property\ndef f(\n    a,\n    b=[\n        1,\n    ],\n):\n"
    '    r"""Two\n    lines."""\n    x = """one\n# two\n"""\n    y = 1 + \\\n        2\n\tz = 3\n'.replace(
        "\tz", "    z"
    )
    + "    if x:\n        return y  # why\n    return (\n        z\n    )"
)
OTHERS = {
    "Java": 'class A {\n    // old\n    String f(int a) {\n        String s = """\n            x\n            y""";\n        return s + a;\n    }\n}\n',
    "Go": "//go:build linux\n\npackage a\n\nfunc f(a int) string {\n\ts := `x\ny`\n\treturn s\n}\n",
    "JavaScript": "function f(a) {\n  const s = `x\n  ${a}\n${a}\ny`;\n  return s\n    + a;\n}\n",
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30).filter(str.strip)


def is_unchanged(code: str, program: str) -> bool:
    """Return whether a Python program is the code with other comments."""
    return first_change(read_comments(code, "Python"), read_comments(program, "Python")) is None


@settings(max_examples=examples(2 * USUAL))
@given(
    st.sampled_from([CODE, HARD, HARD.replace("\n", "\r\n"), "x = 1"]),
    st.lists(st.tuples(st.integers(1, 25), TEXTS), max_size=4),
)
def test_the_code_stays_the_same(code: str, given_: list[tuple[int, str]]) -> None:
    """This holds for any place and any text of a comment that is no directive."""
    lines = code.count("\n") + (not code.endswith("\n"))
    annotations = [Annotation(line=1 + line % lines, text=f"- {text}") for line, text in given_]

    assert is_unchanged(code, annotated(code, "Python", annotations))


def test_comments_stand_above_their_lines() -> None:
    """They have the line's indentation, one below the other if a line has several."""
    given_ = [
        Annotation(line=4, text="No range."),
        Annotation(line=1, text="Clamp."),
        Annotation(line=4, text="So:\nit ends."),
    ]

    assert annotated(CODE, "Python", given_) == CODE.replace("def", "# Clamp.\ndef").replace(
        "        raise", "        # No range.\n        # So:\n        # it ends.\n        raise"
    )


@pytest.mark.parametrize(
    ("line", "below"),
    [
        (1, "# -*- coding"),
        (2, "# -*- coding"),
        (14, "):"),
        (16, "    lines."),
        (17, "    lines."),
        (19, '"""'),
    ],
)
def test_a_comment_is_put_where_it_can_stand(line: int, below: str) -> None:
    """Below a shebang, above a multi-line string and above a continued line."""
    lines = annotated(HARD, "Python", [Annotation(line=line, text="HERE")]).split("\n")
    at = next(number for number, each in enumerate(lines) if "HERE" in each)

    assert lines[at - 1].startswith(below)


@pytest.mark.parametrize(
    ("text", "lang", "expected"),
    [
        ("Plain", "Python", "# Plain\n"),
        ("# marked\n#  twice", "Python", "# marked\n#  twice\n"),
        ("/** Says.\n * More. */", "Java", "// Says.\n// More.\n"),
        ('"""Quoted.\n\nBody."""', "Go", "// Quoted.\n//\n// Body.\n"),
        ("a\u2028b\x00", "JavaScript", "// a\n// b\ufffd\n"),
        ("", "Python", "#\n"),
    ],
)
def test_a_text_becomes_line_comments(text: str, lang: str, expected: str) -> None:
    """Comment markers are removed, and the text cannot end the comment early."""
    assert as_comment(text, lang) == expected


def test_commented_code_is_told_from_a_comment() -> None:
    """It may be fenced; changed code is not commented code."""
    program = CODE.replace("    return", "    # Both ends.\n    return")

    assert commented_code(program, CODE, "Python") == program
    assert commented_code(f"Here:\n```python\n{program}```\n", CODE, "Python") == program.rstrip("\n")
    assert commented_code(program.replace("max", "min"), CODE, "Python") is None
    assert commented_code("Keeps a value in a range.", CODE, "Python") is None


def test_annotations_come_back_from_commented_code() -> None:
    """Inserted comments are found at their lines; existing comments are left out."""
    code = CODE.replace("    if", "    # old\n    if")
    given_ = [Annotation(line=4, text="Ends swapped."), Annotation(line=6, text="Both ends.")]

    assert annotations_in(annotated(code, "Python", given_), code, "Python") == given_


@pytest.mark.parametrize("lang", list(OTHERS))
def test_other_languages_stay_the_same_too(lang: str) -> None:
    """Every line gets a comment, also in multi-line literals."""
    code = OTHERS[lang]
    given_ = [Annotation(line=line, text=f"note {line}") for line in range(1, code.count("\n") + 1)]
    program = annotated(code, lang, given_)
    found = "\n".join(each.text for each in annotations_in(program, code, lang)).split("\n")

    assert first_change(read_comments(code, lang), read_comments(program, lang)) is None
    assert sorted(found) == sorted(each.text for each in given_)

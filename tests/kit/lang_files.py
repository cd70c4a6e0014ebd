"""Test files made by hypothesis: what is in them is known, because it was put there.

Each case holds a word of its own (`mark_3`), and so does each helper (`help_2`), so a test can say what must be
left of a file without parsing it.
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from benchwright.lang.languages import LANGUAGES


class Made(NamedTuple):
    """A test file: its code, its cases by name with the mark of each, and the marks of its helpers."""

    lang: str
    code: str
    cases: dict[str, str]
    helpers: list[str]


class Piece(NamedTuple):
    """A definition of a file: its lines, and the case that it is, if it is one."""

    text: str
    case: str = ""
    mark: str = ""


GAPS = st.sampled_from(["\n", "\n\n", "\n\n\n", "\n\n\n\n\n"])
_REMARKS = st.sampled_from(["", "# a remark\n", "# two\n# lines\n"])


def _python_case(number: int, remark: str, style: int) -> Piece:
    mark = f"mark_{number}"
    body = [
        f"    {mark} = 1\n    assert {mark} == 1\n",
        f'    """Says {mark}."""\n    assert True\n',
        f"    text = '''\n\n\n{mark}\n'''\n    assert text\n",
        f"    if True:\n        {mark} = [\n            1,\n\n        ]\n    assert {mark}\n",
    ][style]
    decorator = "@pytest.mark.slow\n" if style == 1 else ""
    prefix = "async " if style == 2 else ""
    return Piece(f"{remark}{decorator}{prefix}def test_{number}():\n{body}", f"test_{number}", mark)


def _python_class(number: int, count: int, gap: str) -> list[Piece]:
    """A class of several cases with a set-up; each of its cases is a piece for the file's table alone."""
    name = f"TestClass{number}"
    marks = [f"mark_{number}_{index}" for index in range(count)]
    methods = [f"    def test_{index}(self):\n        assert '{mark}'\n" for index, mark in enumerate(marks)]
    setup = f"    def setup_method(self):\n        self.help_{number} = 1\n"
    text = f"class {name}:\n" + gap.join([setup, *methods])
    cases = [Piece("", f"{name}::test_{index}", mark) for index, mark in enumerate(marks)]
    return [Piece(text), *cases]


def _python_helper(number: int) -> Piece:
    return Piece(f"def help_{number}():\n    return {number}\n", mark=f"help_{number}")


@st.composite
def python_files(draw: st.DrawFn) -> Made:
    """Functions, classes and helpers in any order, with gaps of any width between them."""
    pieces: list[Piece] = []
    for number in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["case", "case", "class", "helper"])) if number else "case"
        if kind == "case":
            pieces.append(_python_case(number, draw(_REMARKS), draw(st.integers(0, 3))))
        elif kind == "class":
            gap = draw(st.sampled_from(["", "\n", "\n\n"]))
            pieces += _python_class(number, draw(st.integers(1, 3)), gap)
        else:
            pieces.append(_python_helper(number))
    return _joined(draw, "Python", "import os\nimport pytest\n", pieces, "")


@st.composite
def java_files(draw: st.DrawFn) -> Made:
    """One class with cases, helpers and a field."""
    pieces: list[Piece] = []
    for number in range(draw(st.integers(1, 5))):
        mark = f"mark_{number}"
        if number and draw(st.booleans()):
            text = f"    private int help_{number}() {{\n        return {number};\n    }}\n"
            pieces.append(Piece(text, mark=f"help_{number}"))
            continue
        remark = draw(st.sampled_from(["", "    // a remark\n", "    /** Two\n     * lines. */\n"]))
        body = draw(
            st.sampled_from(
                [
                    f'        String text = "{mark}";\n',
                    f"        int {mark} = 1;\n\n        assert {mark} == 1;\n",
                ]
            )
        )
        text = f"{remark}    @Test\n    void case{number}() {{\n{body}    }}\n"
        pieces.append(Piece(text, f"MadeTest#case{number}", mark))
    head = "package made;\n\nimport org.junit.jupiter.api.Test;\n\nclass MadeTest {\n    private int field = 1;\n"
    return _joined(draw, "Java", head, pieces, "}\n")


@st.composite
def go_files(draw: st.DrawFn) -> Made:
    """Test functions and helpers."""
    pieces: list[Piece] = []
    for number in range(draw(st.integers(1, 5))):
        mark = f"mark_{number}"
        if number and draw(st.booleans()):
            pieces.append(
                Piece(f"func help_{number}() int {{\n\treturn {number}\n}}\n", mark=f"help_{number}")
            )
            continue
        remark = draw(st.sampled_from(["", "// A remark.\n", "// Two\n// lines.\n"]))
        body = draw(st.sampled_from([f'\tt.Log("{mark}")\n', f"\ttext := `\n\n\n{mark}`\n\tt.Log(text)\n"]))
        text = f"{remark}func Test{number}(t *testing.T) {{\n{body}}}\n"
        pieces.append(Piece(text, f"Test{number}", mark))
    return _joined(draw, "Go", 'package made\n\nimport "testing"\n', pieces, "")


def _joined(draw: st.DrawFn, lang: str, head: str, pieces: list[Piece], end: str) -> Made:
    texts = [piece.text for piece in pieces if piece.text]
    gaps = [draw(GAPS) for _ in texts]
    code = head + "".join(gap + text for gap, text in zip(gaps, texts, strict=True)) + end
    cases = {piece.case: piece.mark for piece in pieces if piece.case}
    helpers = [piece.mark for piece in pieces if piece.mark and not piece.case]
    return Made(lang, code, cases, helpers)


FILES = st.one_of(python_files(), java_files(), go_files())
LANGS = st.sampled_from(LANGUAGES)


def widest_gap(code: str) -> int:
    """Blank lines in the longest run of them."""
    longest = run = 0
    for line in code.split("\n")[:-1]:
        run = 0 if line.strip() else run + 1
        longest = max(longest, run)
    return longest

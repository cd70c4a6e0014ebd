"""How written tests begin: by what a layout makes of it, in each language."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.languages import language
from benchwright.lang.protocol import Opening
from benchwright.lang.source import lay_out, unresolved

_FILES = {"src/pack/__init__.py", "src/pack/inner/__init__.py"}
_CODES = {
    "Python": "LIMIT = 3\n\n\ndef _hidden():\n    return 1\n\n\ndef twice(x):\n    return 2 * x\n",
    "Java": "package a.b;\n\npublic class Twice {\n    int of(int x) { return 2 * x; }\n}\n",
    "Go": "package twice\n\nfunc Of(x int) int { return 2 * x }\n",
}


def opening_of(path: str, code: str, lang: str, files: Collection[str]) -> Opening | None:
    return language(lang).opening(path, code, files)


@pytest.mark.parametrize(
    ("path", "lang", "line", "focal", "name"),
    [
        ("src/pack/twice.py", "Python", "from pack.twice import twice", "pack/twice.py", "test_twice.py"),
        ("src/pack/inner/a.py", "Python", "from pack.inner.a import", "pack/inner/a.py", "test_a.py"),
        ("src/pack/__init__.py", "Python", "from pack import twice", "pack/__init__.py", "test_pack.py"),
        ("scripts/twice.py", "Python", "from twice import twice", "twice.py", "test_twice.py"),
        ("x/Twice.java", "Java", "package a.b;", "src/main/java/a/b/Twice.java", "TwiceTest.java"),
        ("of/twice.go", "Go", "package twice", "twice.go", "twice_test.go"),
    ],
)
def test_the_layout_follows_the_opening(path: str, lang: str, line: str, focal: str, name: str) -> None:
    """The probe has its one case, reaches the focal file where its project has it, and lacks nothing."""
    opening = opening_of(path, _CODES[lang], lang, _FILES)
    assert opening is not None
    test_path = f"generated/1/{path.rpartition('/')[0]}/{opening.name}"
    suite = lay_out(_CODES[lang], opening.probe, lang, focal_name=path, test_name=test_path)

    assert (opening.lines.startswith(line), opening.probe.startswith(opening.lines)) == (True, True)
    assert (suite.focal, suite.cases, unresolved(suite), opening.name) == (focal, [opening.case], [], name)


@pytest.mark.parametrize(
    ("path", "code", "lang"),
    [
        ("a.py", "LIMIT = 3\n", "Python"),
        ("a.py", "def _hidden():\n    pass\n", "Python"),
        ("a.py", "def test_one(x):\n    return x\n\n\nclass TestTwo:\n    pass\n", "Python"),
        ("A.java", "package a;\n", "Java"),
        ("a.go", "package main\n\nfunc main() {}\n", "Go"),
        ("a.go", "package a\n\nvar x = 1\n", "Go"),
    ],
)
def test_nothing_to_call(path: str, code: str, lang: str) -> None:
    """A file without functions is not a target of tests."""
    assert opening_of(path, code, lang, ()) is None


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("class Other { }\n\nclass Named { }\n", "Named"),
        ("class First { }\n\nclass Second { }\n", "First"),
        ("class Helper { }\n\npublic enum Kind { ONE }\n", "Kind"),
    ],
)
def test_the_type_that_java_names_a_file_by(code: str, name: str) -> None:
    """The public one, else the one called like the file, else the first."""
    opening = opening_of("x/Named.java", code, "Java", ())

    assert opening is not None and opening.case == f"{name}Test#probe"


@given(st.text(max_size=200), st.sampled_from(["a.py", "b/__init__.py"]))
def test_any_text(code: str, path: str) -> None:
    """Hostile text gives an opening or none, and no error."""
    found = opening_of(path, code, "Python", {"b/__init__.py"})

    assert found is None or found.probe.startswith(found.lines)

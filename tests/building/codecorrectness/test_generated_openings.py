"""How written tests begin: by what a layout makes of it, in each language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.codecorrectness.generated_openings import is_focal_path, opening_of, written_path
from benchwright.building.codecorrectness.rows import suite_of_paths
from benchwright.lang.imports import unresolved
from benchwright.lang.languages import GO, JAVA, PYTHON, Language

_PACKAGES = {"src/pack", "src/pack/inner"}
_CODES: dict[Language, str] = {
    PYTHON: "LIMIT = 3\n\n\ndef _hidden():\n    return 1\n\n\ndef twice(x):\n    return 2 * x\n",
    JAVA: "package a.b;\n\npublic class Twice {\n    int of(int x) { return 2 * x; }\n}\n",
    GO: "package twice\n\nfunc Of(x int) int { return 2 * x }\n",
}


@pytest.mark.parametrize(
    ("path", "lang", "line", "focal", "name"),
    [
        ("src/pack/twice.py", PYTHON, "from pack.twice import twice", "pack/twice.py", "test_twice.py"),
        ("src/pack/inner/a.py", PYTHON, "from pack.inner.a import", "pack/inner/a.py", "test_a.py"),
        ("src/pack/__init__.py", PYTHON, "from pack import twice", "pack/__init__.py", "test_pack.py"),
        ("scripts/twice.py", PYTHON, "from twice import twice", "twice.py", "test_twice.py"),
        ("x/Twice.java", JAVA, "package a.b;", "src/main/java/a/b/Twice.java", "TwiceTest.java"),
        ("of/twice.go", GO, "package twice", "twice.go", "twice_test.go"),
    ],
)
def test_the_layout_follows_the_opening(path: str, lang: Language, line: str, focal: str, name: str) -> None:
    """The probe has its one case, reaches the focal file where its project has it, and lacks nothing."""
    opening = opening_of(path, _CODES[lang], lang, packages=_PACKAGES)
    assert opening is not None
    suite = suite_of_paths(
        _CODES[lang],
        opening.probe,
        lang,
        focal_path=path,
        test_path=written_path(path, opening.name, 1),
    )

    assert (opening.lines.startswith(line), opening.probe.startswith(opening.lines)) == (True, True)
    assert (suite.focal, suite.cases, unresolved(suite), opening.name) == (focal, [opening.case], [], name)


@pytest.mark.parametrize(
    ("path", "code", "lang"),
    [
        ("a.py", "LIMIT = 3\n", PYTHON),
        ("a.py", "def _hidden():\n    pass\n", PYTHON),
        ("a.py", "def test_one(x):\n    return x\n\n\nclass TestTwo:\n    pass\n", PYTHON),
        ("A.java", "package a;\n", JAVA),
        ("a.go", "package main\n\nfunc main() {}\n", GO),
        ("a.go", "package a\n\nvar x = 1\n", GO),
    ],
)
def test_nothing_to_call(path: str, code: str, lang: Language) -> None:
    """A file without anything to call is none to write tests for."""
    assert opening_of(path, code, lang, packages=()) is None


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
    opening = opening_of("x/Named.java", code, JAVA, packages=())

    assert opening is not None and opening.case == f"{name}Test#probe"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("pack/mod.py", True),
        ("setup.py", False),
        ("pack/tests/data.py", False),
        ("src/test/java/a/Tool.java", False),
        ("conftest.py", False),
        ("contest.py", True),
        ("pack/test.py", False),
    ],
)
def test_what_may_be_a_focal_file(path: str, expected: bool) -> None:
    """Files that serve tests or installation are not asked about."""
    assert is_focal_path(path) == expected


def test_written_tests_have_a_folder_that_no_repository_has() -> None:
    """Two replies to one file stand at two paths."""
    paths = [written_path("a/b.py", "test_b.py", number) for number in (1, 2)]

    assert [*paths, written_path("b.py", "test_b.py", 1)] == [
        "generated/1/a/test_b.py",
        "generated/2/a/test_b.py",
        "generated/1/test_b.py",
    ]


@given(st.text(max_size=200), st.sampled_from(["a.py", "b/__init__.py"]))
def test_any_text(code: str, path: str) -> None:
    """Hostile text gives an opening or none, and no error."""
    found = opening_of(path, code, PYTHON, packages={"b"})

    assert found is None or found.probe.startswith(found.lines)

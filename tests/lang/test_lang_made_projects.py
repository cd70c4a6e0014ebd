"""Layout and pairing on projects whose paths are known because a test chose them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from benchwright.lang.languages import LANGUAGES
from benchwright.lang.paths import is_plain_path
from benchwright.lang.source import cases, focal_for, is_test_path, lay_out, unresolved


class Project(NamedTuple):
    """A focal file and its test, with the paths that they have in their project."""

    lang: str
    focal: str
    test: str
    focal_path: str
    test_path: str


_WORDS = ["alpha", "beta", "gamma", "delta", "shop", "core", "model", "cart"]
WORD = st.sampled_from(_WORDS)
FOLDERS = st.lists(WORD, min_size=1, max_size=3, unique=True)


@st.composite
def python_projects(draw: st.DrawFn) -> Project:
    """A module in packages, imported by its dotted name in one of the usual ways."""
    folders, name = draw(FOLDERS), draw(WORD)
    module = ".".join([*folders, name])
    way = draw(st.sampled_from(["from", "as", "dotted"]))
    taken = {
        "from": (f"from {module} import double", "double"),
        "as": (f"import {module} as tested", "tested.double"),
        "dotted": (f"import {module}", f"{module}.double"),
    }[way]
    test = f"{taken[0]}\n\n\ndef test_double():\n    assert {taken[1]}(2) == 4\n"
    return Project(
        "Python",
        "def double(x):\n    return 2 * x\n",
        test,
        "/".join([draw(st.sampled_from(["src", ""])), *folders, f"{name}.py"]).strip("/"),
        f"tests/test_{name}.py",
    )


@st.composite
def java_projects(draw: st.DrawFn) -> Project:
    """A class in a package, its test in the same one or in another."""
    folders, name = draw(FOLDERS), draw(WORD).title()
    package = ".".join(folders)
    near = draw(st.booleans())
    own = package if near else f"{package}.checks"
    imported = "" if near else f"import {package}.{name};\n"
    test = (
        f"package {own};\n{imported}import org.junit.jupiter.api.Test;\n"
        f"class {name}Test {{\n    @Test void doubles() {{ assert {name}.twice(2) == 4; }}\n}}\n"
    )
    return Project(
        "Java",
        f"package {package};\npublic class {name} {{ public static int twice(int x) {{ return 2 * x; }} }}\n",
        test,
        f"src/main/java/{package.replace('.', '/')}/{name}.java",
        f"src/test/java/{own.replace('.', '/')}/{name}Test.java",
    )


@st.composite
def go_projects(draw: st.DrawFn) -> Project:
    """A file of a package, its test inside of the package or outside."""
    folders, name, package = draw(FOLDERS), draw(WORD), draw(WORD)
    inner = draw(st.booleans())
    imported = "" if inner else f'import "example.org/{package}"\n'
    call = "Twice" if inner else f"{package}.Twice"
    test = (
        f'package {package if inner else f"{package}_test"}\n\n{imported}import "testing"\n\n'
        f"func TestTwice(t *testing.T) {{\n\tif {call}(2) != 4 {{\n\t\tt.Fatal()\n\t}}\n}}\n"
    )
    folder = "/".join(folders)
    focal = f"package {package}\n\nfunc Twice(x int) int {{\n\treturn 2 * x\n}}\n"
    return Project("Go", focal, test, f"{folder}/{name}.go", f"{folder}/{name}_test.go")


PROJECTS = st.one_of(python_projects(), java_projects(), go_projects())


@given(PROJECTS, st.booleans())
@settings(max_examples=30, deadline=None)
def test_both_texts_are_laid_out_untouched(made: Project, named: bool) -> None:
    """With or without their paths; the cases are those of the test, and nothing of the project is missing."""
    names = {"focal_name": made.focal_path, "test_name": made.test_path} if named else {}
    suite = lay_out(made.focal, made.test, made.lang, **names)

    assert (suite.files[suite.focal], suite.files[suite.test]) == (made.focal, made.test)
    assert suite.cases == [case.name for case in cases(made.test, made.lang)]
    assert unresolved(suite) == []


@given(PROJECTS)
@settings(max_examples=30, deadline=None)
def test_a_layout_is_its_own_layout(made: Project) -> None:
    """Laid out again under the paths that came out, a suite is the same suite."""
    once = lay_out(made.focal, made.test, made.lang, focal_name=made.focal_path, test_name=made.test_path)
    again = lay_out(
        once.files[once.focal], once.files[once.test], made.lang, focal_name=once.focal, test_name=once.test
    )

    assert again == once


@given(PROJECTS)
@settings(max_examples=30, deadline=None)
def test_files_lie_where_their_language_looks(made: Project) -> None:
    """Python: where the import leads; Java: the package's folders; Go: beside each other, with a module."""
    suite = lay_out(made.focal, made.test, made.lang, focal_name=made.focal_path, test_name=made.test_path)
    expected = {
        "Python": made.focal_path.removeprefix("src/"),
        "Java": made.focal_path,
        "Go": PurePosixPath(made.focal_path).name,
    }[made.lang]

    assert suite.focal == expected
    assert ("go.mod" in suite.files) == (made.lang == "Go")
    assert is_test_path(suite.test)


@given(PROJECTS)
@settings(max_examples=30, deadline=None)
def test_paths_of_a_layout_are_plain(made: Project) -> None:
    """They can be files anywhere."""
    suite = lay_out(made.focal, made.test, made.lang)

    assert [path for path in suite.files if not is_plain_path(path)] == []


@given(PROJECTS, st.lists(PROJECTS, max_size=4))
@settings(max_examples=30, deadline=None)
def test_a_test_is_paired_with_what_it_imports(made: Project, others: list[Project]) -> None:
    """In all languages, other files with other names do not change the pair."""
    stems = [PurePosixPath(each.focal_path).stem.lower() for each in (made, *others)]
    assume(len(set(stems)) == len(stems))
    files = [each.focal_path for each in (*others, made)] + [each.test_path for each in others]

    assert focal_for(made.test_path, files, made.test) == made.focal_path


@given(PROJECTS)
@settings(max_examples=20, deadline=None)
def test_a_test_file_is_never_its_own_focal_file(made: Project) -> None:
    """Not even where nothing else is there."""
    assert focal_for(made.test_path, [made.test_path], made.test) is None


PLAIN = [
    "a.py",
    "src/a_b/C.java",
    "pkg/x_test.go",
    "-rf.py",
    "with space/b.py",
    "привет.py",
    ".github/a.py",
    "a..b.py",
    "git/a.py",
]
ODD = [
    "",
    "/a.py",
    "a//b.py",
    "a/",
    "./a.py",
    "a/../b.py",
    "..",
    ".git/a.py",
    "sub/.GIT/a.py",
    "a\nb.py",
    "a\x1b[2J.py",
    "a\x00.py",
    "d\ufffd.py",
    "a\u202e.py",
    "a\\b.py",
]


@pytest.mark.parametrize("path", PLAIN)
def test_plain_paths(path: str) -> None:
    """Unusual names are names."""
    assert is_plain_path(path)


@pytest.mark.parametrize("path", ODD)
def test_odd_paths(path: str) -> None:
    """What leads out of a folder, cannot be printed, or is not the same on every system."""
    assert not is_plain_path(path)


@given(st.text(max_size=30))
def test_a_plain_path_stays_below_its_folder(path: str) -> None:
    """An accepted path is printable and stays in its folder."""
    if is_plain_path(path):
        joined = PurePosixPath("/folder") / path

        assert (joined.is_relative_to("/folder"), ".." in joined.parts, path.isprintable()) == (
            True,
            False,
            True,
        )


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_project_of_nothing(lang: str) -> None:
    """A language without files has nothing to pair."""
    path = {"Python": "test_a.py", "Java": "ATest.java", "Go": "a_test.go", "JavaScript": "a.test.js"}[lang]

    assert focal_for(path, [], "") is None

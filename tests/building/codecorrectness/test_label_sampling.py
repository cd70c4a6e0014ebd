"""Failures are failures of the code: what passes in its project, or fails for want of it, is no row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pygit2
import pytest

from benchwright.building.codecorrectness.label_sampling import PASSES_IN_PROJECT, UNPROVEN
from benchwright.building.codecorrectness.options import BuildOptions, RowBounds
from benchwright.building.codecorrectness.pipeline import build
from benchwright.building.codecorrectness.row_records import Candidate
from benchwright.errors import DataError
from benchwright.executing.suite_runners import Runners
from benchwright.lang.protocol import PairTexts, ProjectTexts
from benchwright.lang.source import in_project, lay_out
from benchwright.records import Drop
from benchwright.store.writing import read_records
from kit.built_samples import need_toolchains
from kit.go_needs import need_go
from kit.made_repositories import MIT, commit, repository
from kit.needs import need_sandbox

_HIDDEN = (
    "import importlib\n\nNAME = '.'.join(['stamp', 'text'])\n\n\ndef label(text):\n    try:\n"
    "        sibling = importlib.import_module(NAME)\n    except ImportError:\n        sibling = None\n    return {}\n"
)
_INIT = "from .functions import label\n"
_TEXT = "def upper(text):\n    return text.upper()\n"
_CASE = "\n\ndef test_{0}():\n    assert label('{0}') == {1!r}\n"
_LOOK_UP = "(sibling.upper(text) if sibling else text)"


def _test(*cases: tuple[str, str]) -> str:
    return "from stamp import label\n" + "".join(_CASE.format(*each) for each in cases)


def _history(before: str, after: str, letter: str) -> list[dict[str, str]]:
    """Return two states of a function; only the later one has a test."""
    rest = {"stamp/__init__.py": _INIT, "stamp/text.py": _TEXT}
    first = {"stamp/functions.py": _HIDDEN.format(before), "test_functions.py": _test()}
    second = {
        "stamp/functions.py": _HIDDEN.format(after),
        "test_functions.py": _test((letter, letter.upper())),
    }
    return [{**rest, **first}, {**rest, **second}]


# By repository: the states of its files, oldest first, and the ends of its rows.
_PYTHON: dict[str, tuple[list[dict[str, str]], dict[str, int]]] = {
    # A sibling is imported by a computed name, so the two files alone lack it.
    "needs_a_sibling": (
        [
            {
                "src/stamp/__init__.py": _INIT,
                "src/stamp/text.py": _TEXT,
                "src/stamp/functions.py": _HIDDEN.format(_LOOK_UP),
                "tests/test_functions.py": _test(("a", "A"), ("b", "B")),
            }
        ],
        {PASSES_IN_PROJECT: 2},
    ),
    # A test that really fails gives that row, whatever else the repository holds.
    "fails_in_project": (
        [
            {
                "stamp/__init__.py": _INIT,
                "stamp/text.py": _TEXT,
                "stamp/functions.py": _HIDDEN.format("text.strip()"),
                "test_functions.py": _test(("a", "A"), ("b", "b")),
            }
        ],
        {"original failed": 1, "original success": 1},
    ),
    # Only `pytest.ini` turns the warning into an error, so the result in the project is unknown.
    "settings_decide": (
        [
            {
                "stamp/__init__.py": _INIT,
                "stamp/functions.py": "import warnings\n\n\ndef label(text):\n    warnings.warn(text)\n    return text\n",
                "tests/test_functions.py": "import pytest\nfrom stamp import label\n\n\ndef test_a():\n"
                "    with pytest.raises(UserWarning):\n        label('a')\n",
                "pytest.ini": "[pytest]\nfilterwarnings = error\n",
            }
        ],
        {UNPROVEN: 1},
    ),
    # The sandbox has no shell, unlike the machines of the project: the failure proves nothing.
    "needs_a_shell": (
        [
            {
                "stamp/__init__.py": _INIT,
                "stamp/functions.py": "import subprocess\n\n\ndef label(text):\n"
                "    return subprocess.run(['sh', '-c', f'printf {text}'], capture_output=True, text=True).stdout\n",
                "test_functions.py": _test(("a", "a")),
            }
        ],
        {UNPROVEN: 1},
    ),
    # A fixture of `conftest.py` applies to each test.
    "fixture_for_all": (
        [
            {
                "stamp/__init__.py": _INIT,
                "stamp/functions.py": "import os\n\n\ndef label(text):\n    return text + os.environ['STAMP']\n",
                "tests/test_functions.py": _test(("a", "a!")),
                "tests/conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef given(monkeypatch):\n"
                "    monkeypatch.setenv('STAMP', '!')\n",
            }
        ],
        {PASSES_IN_PROJECT: 1},
    ),
    # The earlier state fails in the project of its own commit, in which the later state passes.
    "history": (
        _history("text", "text.upper()", "a"),
        {"history failed": 1, "original success": 1},
    ),
    # Both states fail alone, since a file of the project is imported by a computed name.
    "history_fails_alone": (
        _history(f"{_LOOK_UP}.lower()", _LOOK_UP, "d"),
        {"other_state_fails": 1, PASSES_IN_PROJECT: 1},
    ),
    # The earlier state lacks a sibling when alone, and passes in its project.
    "history_needs_a_sibling": (
        _history(_LOOK_UP, "text.upper()", "c"),
        {PASSES_IN_PROJECT: 1, "original success": 1},
    ),
    # Plain pytest ends with the status that the test chose, so there is no label.
    "ends_the_process": (
        [
            {
                "stamp/__init__.py": _INIT,
                "stamp/functions.py": _HIDDEN.format("text"),
                "test_functions.py": "import os\n\nfrom stamp import label\n\n\ndef test_a():\n    label('a')\n"
                "    os._exit(0)\n",
            }
        ],
        {"uses_exit": 1},
    ),
    # The second test alone fails in the project too, and the whole test file passes there.
    "needs_the_test_before": (
        [
            {
                "stamp.py": "SEEN = []\n\n\ndef label(text):\n    SEEN.append(text)\n    return len(SEEN)\n",
                "test_stamp.py": "from stamp import label\n\n\ndef test_first():\n    assert label('a') == 1\n\n\n"
                "def test_second():\n    assert label('b') == 2\n",
            }
        ],
        {"original success": 1, PASSES_IN_PROJECT: 1},
    ),
    # Of two tests of one function, the one that reaches the random number is no row.
    "random_in_one_test": (
        [
            {
                "dice.py": "import random\n\n\ndef throw(sides):\n    if sides > 1:\n"
                "        return random.randint(1, sides)\n    return 1\n",
                "test_dice.py": "from dice import throw\n\n\ndef test_one():\n    assert throw(1) == 1\n\n\n"
                "def test_six():\n    assert throw(6) in range(1, 7)\n",
            }
        ],
        {"original success": 1, "uses_random": 1},
    ),
}
_GO = {
    # No name leads to another file's `init`, and its package has it.
    "prepared": (
        [
            {
                "go.mod": "module example.org/box\n\ngo 1.22\n",
                "box.go": "package box\n\nvar size int\n\nfunc Size() int { return size }\n",
                "fill.go": "package box\n\nfunc init() { size = 2 }\n",
                "box_test.go": 'package box\n\nimport "testing"\n\nfunc TestSize(t *testing.T) {\n\tif Size() != 2 {\n'
                '\t\tt.Fatal("no")\n\t}\n}\n',
            }
        ],
        {PASSES_IN_PROJECT: 1},
    ),
    # A variable has the name of the package that another test uses, so the import appears to be used.
    "unused_import": (
        [
            {
                "go.mod": "module example.org/box\n\ngo 1.22\n",
                "box.go": "package box\n\ntype Box struct{ Side int }\n\nfunc Make(n int) Box { return Box{n} }\n",
                "box_test.go": 'package box\n\nimport (\n\t"strings"\n\t"testing"\n)\n\n'
                "func TestSide(t *testing.T) {\n\tstrings := Make(2)\n\tif strings.Side != 2 {\n\t\tt.Fatal()\n\t}\n}\n\n"
                'func TestText(t *testing.T) {\n\tif strings.Repeat("a", Make(2).Side) != "aa" {\n\t\tt.Fatal()\n\t}\n}\n',
            }
        ],
        {"original success": 1, PASSES_IN_PROJECT: 1},
    ),
}
_JAVA = {
    "src/main/java/org/box/Box.java": "package org.box;\n\npublic class Box {\n    public int size() throws Exception {\n"
    '        String name = "org.box." + "Lid";\n'
    '        return (int) Class.forName(name).getDeclaredMethod("size").invoke(null);\n    }\n}\n',
    "src/main/java/org/box/Lid.java": "package org.box;\n\npublic class Lid {\n    public static int size() {\n"
    "        return 2;\n    }\n}\n",
    "src/test/java/org/box/BoxTest.java": "package org.box;\n\nimport static org.junit.Assert.assertEquals;\n\n"
    "import org.junit.Test;\n\npublic class BoxTest {\n    @Test\n    public void size() throws Exception {\n"
    "        assertEquals(2, new Box().size());\n    }\n}\n",
}

Labelled = tuple[list[Candidate], list[Drop]]


def _stages(folder: Path, repositories: Mapping[str, Sequence[Mapping[str, str]]]) -> Labelled:
    """Return the rows and the drops of stage label in a build of repositories, given by their states."""
    need_sandbox()
    for name, states in repositories.items():
        path = repository(folder / "clones" / name, {"LICENSE": MIT, **states[0]})
        for state in states[1:]:
            commit(pygit2.Repository(str(path)), {"LICENSE": MIT, **state})
    options = BuildOptions(
        sources=(str(folder / "clones"),),
        repeat=2,
        history=9,
        broken=0,
        mutants_tried=1,
        bounds=RowBounds(likeness=1.0),
        project_builds=False,
    )
    try:
        with Runners(workers=1) as runners:
            build(options, folder / "out", runners=runners)
    except DataError:
        pass  # no row is left to publish
    stages = folder / "out/stages"
    rows = [each for path in stages.glob("*-label.jsonl") for each in read_records(path, Candidate)]
    drops = [each for path in stages.glob("*-label.dropped.jsonl") for each in read_records(path, Drop)]
    return rows, drops


def _ends(found: Labelled, name: str) -> Counter[str]:
    rows, drops = ([each for each in some if each.unit.startswith(f"{name}:")] for some in found)
    return Counter([*(f"{row.subset} {row.label}" for row in rows), *(drop.reason for drop in drops)])


@pytest.fixture(scope="module")
def of_python(tmp_path_factory: pytest.TempPathFactory) -> Labelled:
    """Return the labels of all Python repositories."""
    return _stages(tmp_path_factory.mktemp("python"), {name: each[0] for name, each in _PYTHON.items()})


@pytest.fixture(scope="module")
def of_go(tmp_path_factory: pytest.TempPathFactory) -> Labelled:
    """Return the labels of all Go repositories."""
    need_go()
    return _stages(tmp_path_factory.mktemp("go"), {name: each[0] for name, each in _GO.items()})


@pytest.mark.parametrize("name", _PYTHON)
def test_a_python_repository(of_python: Labelled, name: str) -> None:
    """A failure is a row only if its code is the cause."""
    assert _ends(of_python, name) == _PYTHON[name][1]


@pytest.mark.parametrize("name", _GO)
def test_a_go_repository(of_go: Labelled, name: str) -> None:
    """The same for Go."""
    assert _ends(of_go, name) == _GO[name][1]


def _laid_out(files: Mapping[str, str], focal: str, test: str, lang: str) -> dict[str, str]:
    suite = lay_out(files[focal], files[test], lang, focal_name=focal, test_name=test)
    near = ProjectTexts(files.keys(), lambda path: files.get(path, ""))
    found = in_project(PairTexts(focal, files[focal], test, files[test]), near, suite)
    assert (found.files[found.focal], found.files[found.test]) == (files[focal], files[test])
    return found.files


def test_the_files_of_a_java_project() -> None:
    """All that the pair names, and what that names in turn; not the rest, which may want libraries."""
    files = {
        "src/p/A.java": "package p;\n\nclass A {\n    B b;\n}\n",
        "src/p/B.java": "package p;\n\nclass B {\n    C c;\n}\n",
        "src/p/C.java": "package p;\n\nclass C { }\n",
        "src/p/D.java": "package p;\n\nimport org.nowhere.X;\n\nclass D { }\n",
        "test/p/ATest.java": "package p;\n\nimport org.junit.Test;\n\npublic class ATest {\n    @Test\n"
        "    public void a() {\n        new A();\n    }\n}\n",
    }

    assert set(_laid_out(files, "src/p/A.java", "test/p/ATest.java", "Java")) == set(files) - {"src/p/D.java"}


def test_the_files_of_a_go_project() -> None:
    """The module's own packages from its root; tests of other files unless they want another module."""
    files = {
        "mod/go.mod": "module example.org/mod\n\ngo 1.18\n",
        "mod/a/a.go": 'package a\n\nimport "example.org/mod/b"\n\nfunc A() int { return b.B() }\n',
        "mod/a/more.go": "package a\n\nconst More = 1\n",
        "mod/a/a_test.go": 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) { A() }\n',
        "mod/a/help_test.go": "package a\n\nfunc help() {}\n",
        "mod/a/odd_test.go": 'package a\n\nimport "github.com/x/y"\n\nvar _ = y.Z\n',
        "mod/b/b.go": "package b\n\nfunc B() int { return 1 }\n",
        "mod/b/b_test.go": "package b\n",
        "mod/c/c.go": 'package c\n\nimport "github.com/x/y"\n',
    }
    found = _laid_out(files, "mod/a/a.go", "mod/a/a_test.go", "Go")

    assert set(found) == {"go.mod", "a/a.go", "a/more.go", "a/a_test.go", "a/help_test.go", "b/b.go"}


def test_a_java_class_by_a_made_name(tmp_path: Path) -> None:
    """What reflection looks for is not there, and that is said of the machine: no failure comes of it."""
    need_toolchains()
    rows, drops = _stages(tmp_path, {"box": [_JAVA]})

    assert (rows, [drop.reason for drop in drops]) == ([], ["environment"])

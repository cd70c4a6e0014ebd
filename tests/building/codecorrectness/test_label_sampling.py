"""Failures are failures of the code: what passes in its project, or fails for want of it, is no row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
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


def _stages(folder: Path, *states: Mapping[str, str], history: int = 0) -> tuple[list[Candidate], list[Drop]]:
    """The rows and the drops of stage label, whose suites are executed."""
    need_sandbox()
    path = repository(folder / "clones/r", {"LICENSE": MIT, **states[0]})
    for state in states[1:]:
        commit(pygit2.Repository(str(path)), {"LICENSE": MIT, **state})
    options = BuildOptions(
        sources=(str(folder / "clones"),),
        repeat=2,
        history=history,
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


def _ends(rows: list[Candidate], drops: list[Drop]) -> Counter[str]:
    return Counter([*(f"{row.subset} {row.label}" for row in rows), *(drop.reason for drop in drops)])


def test_what_passes_in_its_project_is_no_failure(tmp_path: Path) -> None:
    """A sibling is reached by a name that no reading of the text could find: with the two files alone it is not
    there."""
    state = {
        "src/stamp/__init__.py": _INIT,
        "src/stamp/text.py": _TEXT,
        "src/stamp/functions.py": _HIDDEN.format(_LOOK_UP),
        "tests/test_functions.py": _test(("a", "A"), ("b", "B")),
    }

    assert _ends(*_stages(tmp_path, state)) == {PASSES_IN_PROJECT: 2}


def test_what_fails_in_its_project_too_is_one(tmp_path: Path) -> None:
    """A repository with a test that really fails gives that row, whatever else it holds."""
    state = {
        "stamp/__init__.py": _INIT,
        "stamp/text.py": _TEXT,
        "stamp/functions.py": _HIDDEN.format("text.strip()"),
        "test_functions.py": _test(("a", "A"), ("b", "b")),
    }

    assert _ends(*_stages(tmp_path, state)) == {"original failed": 1, "original success": 1}


def test_a_project_whose_settings_decide(tmp_path: Path) -> None:
    """A warning that only `pytest.ini` turns into an error: nobody knows how the test ends there."""
    state = {
        "stamp/__init__.py": _INIT,
        "stamp/functions.py": "import warnings\n\n\ndef label(text):\n    warnings.warn(text)\n    return text\n",
        "tests/test_functions.py": "import pytest\nfrom stamp import label\n\n\ndef test_a():\n"
        "    with pytest.raises(UserWarning):\n        label('a')\n",
        "pytest.ini": "[pytest]\nfilterwarnings = error\n",
    }

    assert _ends(*_stages(tmp_path, state)) == {UNPROVEN: 1}


def test_what_the_sandbox_does_not_have(tmp_path: Path) -> None:
    """A shell is on every machine that the project is tested on, and not here: the failure proves nothing."""
    state = {
        "stamp/__init__.py": _INIT,
        "stamp/functions.py": "import subprocess\n\n\ndef label(text):\n"
        "    return subprocess.run(['sh', '-c', f'printf {text}'], capture_output=True, text=True).stdout\n",
        "test_functions.py": _test(("a", "a")),
    }

    assert _ends(*_stages(tmp_path, state)) == {UNPROVEN: 1}


def test_a_fixture_that_applies_by_itself(tmp_path: Path) -> None:
    """A `conftest.py` prepares each test without being asked."""
    state = {
        "stamp/__init__.py": _INIT,
        "stamp/functions.py": "import os\n\n\ndef label(text):\n    return text + os.environ['STAMP']\n",
        "tests/test_functions.py": _test(("a", "a!")),
        "tests/conftest.py": "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef given(monkeypatch):\n"
        "    monkeypatch.setenv('STAMP', '!')\n",
    }

    assert _ends(*_stages(tmp_path, state)) == {PASSES_IN_PROJECT: 1}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("text", "text.upper()", {"history failed": 1, "original success": 1}),
        # both fail alone, as a project's own file is looked up by a name that is made
        (f"{_LOOK_UP}.lower()", _LOOK_UP, {"other_state_fails": 1, PASSES_IN_PROJECT: 1}),
        # the state before fails alone for want of a sibling, and passes in its project
        (_LOOK_UP, "text.upper()", {PASSES_IN_PROJECT: 1, "original success": 1}),
    ],
)
def test_a_state_of_history(tmp_path: Path, before: str, after: str, expected: dict[str, int]) -> None:
    """It fails in the project of its own commit, in which the other state passes."""
    rest = {"stamp/__init__.py": _INIT, "stamp/text.py": _TEXT}
    first = {**rest, "stamp/functions.py": _HIDDEN.format(before), "test_functions.py": _test()}
    second = {
        **rest,
        "stamp/functions.py": _HIDDEN.format(after),
        "test_functions.py": _test(("a", "A")),
    }

    assert _ends(*_stages(tmp_path, first, second, history=9)) == expected


def test_a_process_that_is_ended(tmp_path: Path) -> None:
    """Plain pytest ends with the status that the test chose, so there is no label."""
    state = {
        "stamp/__init__.py": _INIT,
        "stamp/functions.py": _HIDDEN.format("text"),
        "test_functions.py": "import os\n\nfrom stamp import label\n\n\ndef test_a():\n    label('a')\n"
        "    os._exit(0)\n",
    }

    assert _ends(*_stages(tmp_path, state)) == {"uses_exit": 1}


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
    rows, drops = _stages(tmp_path, _JAVA)

    assert (rows, [drop.reason for drop in drops]) == ([], ["environment"])


_GO = {
    "go.mod": "module example.org/box\n\ngo 1.22\n",
    "box.go": "package box\n\nvar size int\n\nfunc Size() int { return size }\n",
    "fill.go": "package box\n\nfunc init() { size = 2 }\n",
    "box_test.go": 'package box\n\nimport "testing"\n\nfunc TestSize(t *testing.T) {\n\tif Size() != 2 {\n'
    '\t\tt.Fatal("no")\n\t}\n}\n',
}


def test_a_go_file_that_prepares_the_package(tmp_path: Path) -> None:
    """No name leads to another file's `init`, and its package has it."""
    need_go()

    assert _ends(*_stages(tmp_path, _GO)) == {PASSES_IN_PROJECT: 1}


def test_a_test_that_needs_the_one_before_it(tmp_path: Path) -> None:
    """Cut out it fails in its project too, and the whole test file passes there: the cut is what failed."""
    state = {
        "stamp.py": "SEEN = []\n\n\ndef label(text):\n    SEEN.append(text)\n    return len(SEEN)\n",
        "test_stamp.py": "from stamp import label\n\n\ndef test_first():\n    assert label('a') == 1\n\n\n"
        "def test_second():\n    assert label('b') == 2\n",
    }

    assert _ends(*_stages(tmp_path, state)) == {"original success": 1, PASSES_IN_PROJECT: 1}


def test_a_go_import_that_the_cut_leaves_unused(tmp_path: Path) -> None:
    """A variable is called like the package that another test uses, so the import looks as if it were used."""
    need_go()
    state = {
        "go.mod": "module example.org/box\n\ngo 1.22\n",
        "box.go": "package box\n\ntype Box struct{ Side int }\n\nfunc Make(n int) Box { return Box{n} }\n",
        "box_test.go": 'package box\n\nimport (\n\t"strings"\n\t"testing"\n)\n\n'
        "func TestSide(t *testing.T) {\n\tstrings := Make(2)\n\tif strings.Side != 2 {\n\t\tt.Fatal()\n\t}\n}\n\n"
        'func TestText(t *testing.T) {\n\tif strings.Repeat("a", Make(2).Side) != "aa" {\n\t\tt.Fatal()\n\t}\n}\n',
    }

    assert _ends(*_stages(tmp_path, state)) == {"original success": 1, PASSES_IN_PROJECT: 1}


def test_random_numbers_that_a_test_does_not_draw(tmp_path: Path) -> None:
    """Of two tests of one function the one that comes to the draw is no row."""
    state = {
        "dice.py": "import random\n\n\ndef throw(sides):\n    if sides > 1:\n        return random.randint(1, sides)\n"
        "    return 1\n",
        "test_dice.py": "from dice import throw\n\n\ndef test_one():\n    assert throw(1) == 1\n\n\n"
        "def test_six():\n    assert throw(6) in range(1, 7)\n",
    }

    assert _ends(*_stages(tmp_path, state)) == {"original success": 1, "uses_random": 1}

"""Every way in which a pair can reach another file of its project, and what it must not be taken for."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchwright.lang.protocol import PairNeeds, PairTexts, ProjectTexts
from benchwright.lang.source import needs

_TEXT = "def upper(text):\n    return text.upper()\n"
_FOCAL = "def label(text):\n    return text.strip()\n"
_TEST = "from stamp.functions import label\n\n\ndef test_a():\n    assert label(' a') == 'a'\n"
_STAMP = {
    "stamp/__init__.py": "from .functions import label\nfrom .text import upper\n\n__version__ = '1'\n",
    "stamp/functions.py": _FOCAL,
    "stamp/text.py": _TEXT,
    "tests/test_stamp.py": _TEST,
}


def _needs(files: Mapping[str, str], focal: str, test: str, lang: str = "Python") -> PairNeeds:
    pair = PairTexts(focal, files[focal], test, files[test])
    return needs(pair, lang, ProjectTexts(files.keys(), lambda path: files.get(path, "")))


def _python(focal: str = _FOCAL, test: str = _TEST, **more: str) -> PairNeeds:
    files = {**_STAMP, "stamp/functions.py": focal, "tests/test_stamp.py": test}
    files |= {path.replace("__", "/") + ".py": text for path, text in more.items()}
    return _needs(files, "stamp/functions.py", "tests/test_stamp.py")


def _in_focal(head: str, use: str) -> str:
    return f"{head}\n\n\ndef label(text):\n    return {use}\n"


_REACHES_TEXT = {
    "the own package under another name": _in_focal("import stamp as st", "st.upper(text)"),
    "an attribute of the own package": _in_focal("import stamp", "stamp.upper(text)"),
    "an attribute of a module of it": _in_focal("import stamp.text", "stamp.text.upper(text)"),
    "a module under another name": _in_focal("import stamp.text as x", "x.upper(text)"),
    "a name handed on by the package": _in_focal("from stamp import upper", "upper(text)"),
    "that name renamed": _in_focal("from stamp import upper as up", "up(text)"),
    "relative": _in_focal("from .text import upper", "upper(text)"),
    "relative, of the package": _in_focal("from . import upper", "upper(text)"),
    "relative, the module": _in_focal("from . import text as t", "t.upper(text)"),
    "a star": _in_focal("from stamp import *", "upper(text)"),
    "a star of the module": _in_focal("from .text import *", "upper(text)"),
    "inside a function": "def label(text):\n    from stamp import upper\n    return upper(text)\n",
    "under a condition": _in_focal(
        "import sys\n\nif sys.maxsize > 1:\n    from stamp import upper", "upper(text)"
    ),
    "where another is missing": _in_focal(
        "try:\n    from nowhere import upper\nexcept ImportError:\n    from .text import upper", "upper(text)"
    ),
    "importlib": _in_focal("import importlib", "importlib.import_module('stamp.text').upper(text)"),
    "importlib, relative": _in_focal(
        "from importlib import import_module", "import_module('.text', __package__).upper(text)"
    ),
    "__import__": _in_focal("", "__import__('stamp.text').text.upper(text)"),
    "for its side effects": _in_focal("import stamp.text", "text"),
}


@pytest.mark.parametrize("focal", _REACHES_TEXT.values(), ids=_REACHES_TEXT)
def test_a_focal_file_that_reaches_a_sibling(focal: str) -> None:
    """The sibling is named for all ways to import it."""
    assert "stamp/text.py" in _python(focal).files


_TESTS_THAT_REACH = {
    "another name of the package": ("from stamp import label, upper", "upper(label('a')) == 'A'"),
    "the package as an object": ("import stamp", "stamp.label(stamp.upper('a')) == 'A'"),
    "a helper beside the test": (
        "from stamp import label\nfrom helpers import given",
        "label(given()) == ''",
    ),
    "a patched text": (
        "from unittest import mock\nfrom stamp import label",
        "mock.patch('stamp.text.upper') and label('') == ''",
    ),
}


@pytest.mark.parametrize(("head", "check"), _TESTS_THAT_REACH.values(), ids=_TESTS_THAT_REACH)
def test_a_test_that_reaches_another_file(head: str, check: str) -> None:
    """Its own helpers count as well as the package's."""
    test = f"{head}\n\n\ndef test_a():\n    assert {check}\n"

    assert _python(test=test, tests__helpers="def given():\n    return ''\n").files


def test_what_the_package_itself_defines() -> None:
    """A value of `__init__.py` is another file's; so is a package that is handed on as an object."""
    init = frozenset({"stamp/__init__.py"})

    assert _python(_in_focal("import stamp", "stamp.__version__")).files == init
    assert _python(_in_focal("import stamp", "getattr(stamp, text)")).files == init
    assert _python(_in_focal("import stamp", "vars(stamp)[text]")).files == init


_ALONE = {
    "as it is": (_FOCAL, _TEST),
    "through the package": (_FOCAL, "from stamp import label\n\n\ndef test_a():\n    assert label('a')\n"),
    "by attribute": (_FOCAL, "import stamp\n\n\ndef test_a():\n    assert stamp.label('a')\n"),
    "by the module": (
        _FOCAL,
        "from stamp import functions\n\n\ndef test_a():\n    assert functions.label('a')\n",
    ),
    "for type checkers": (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from .text import upper\n\n" + _FOCAL,
        _TEST,
    ),
    "a name that is not there yet": (_FOCAL, _TEST.replace("label", "later")),
    "the standard library": ("import json\nfrom os import path\n\n" + _FOCAL, _TEST),
}


@pytest.mark.parametrize(("focal", "test"), _ALONE.values(), ids=_ALONE)
def test_a_pair_that_stands_alone(focal: str, test: str) -> None:
    """Nothing is named where all names lead to the focal file."""
    assert _python(focal, test).files == frozenset()


def test_other_layouts() -> None:
    """Below `src`, without `__init__.py`, and of a project whose name a well-known package has."""
    for before, after in (("stamp/", "src/stamp/"), ("stamp/", "lib/python/stamp/")):
        files = {path.replace(before, after): text for path, text in _STAMP.items() if path[:4] != "test"}
        files |= {
            "tests/test_stamp.py": "from stamp import label, upper\n\n\ndef test_a():\n    assert upper('a')\n"
        }
        found = _needs(files, f"{after}functions.py", "tests/test_stamp.py")
        assert found.files == {f"{after}text.py"}
    namespace = {path: text for path, text in _STAMP.items() if "__init__" not in path}
    namespace["stamp/functions.py"] = _in_focal("import stamp.text", "stamp.text.upper(text)")
    assert _needs(namespace, "stamp/functions.py", "tests/test_stamp.py").files == {"stamp/text.py"}
    known = {
        path.replace("stamp", "schedule"): text.replace("stamp", "schedule") for path, text in _STAMP.items()
    }
    known["schedule/functions.py"] = _in_focal("import schedule as s", "s.upper(text)")
    assert _needs(known, "schedule/functions.py", "tests/test_schedule.py").files == {"schedule/text.py"}


_PLUGINS = {
    "a mark of a plug-in": "@pytest.mark.mypy_testing\ndef test_a():\n    assert label('a')\n",
    "a mark that nothing registers": "@pytest.mark.odd\ndef test_a():\n    assert label('a')\n",
    "a mark for the whole file": "pytestmark = pytest.mark.asyncio\n\n\ndef test_a():\n    assert label('a')\n",
    "a fixture of a plug-in": "def test_a(mocker):\n    assert label('a')\n",
    "a fixture by name": "@pytest.mark.usefixtures('db')\ndef test_a():\n    assert label('a')\n",
    "a fixture's fixture": "@pytest.fixture\ndef one(benchmark):\n    return 1\n\n\ndef test_a(one):\n    assert one\n",
    "a coroutine": "async def test_a():\n    assert label('a')\n",
    "reveal_type": "def test_a():\n    reveal_type(label('a'))\n",
    "a name that nothing binds": "def test_a():\n    assert label(given) == 'a'\n",
}


@pytest.mark.parametrize("test", _PLUGINS.values(), ids=_PLUGINS)
def test_what_only_a_plug_in_gives(test: str) -> None:
    """Such a test fails without the plug-in, independent of the focal file."""
    assert _python(test=f"import pytest\nfrom stamp import label\n\n\n{test}").plugins


_PYTESTS_OWN = {
    "its marks": "@pytest.mark.parametrize('a, b', [(1, 2)])\n@pytest.mark.skipif(False, reason='')\n"
    "def test_a(a, b, tmp_path):\n    assert label('a')\n",
    "a fixture of the file": "@pytest.fixture(name='two')\ndef one(tmp_path):\n    return 1\n\n\n"
    "def test_a(two):\n    assert two\n",
    "a mocked argument": "@mock.patch('os.path')\ndef test_a(path):\n    assert label('a')\n",
    "a default": "def test_a(one=1):\n    assert one\n",
    "a method's": "class TestA:\n    def test_a(self, capsys):\n        assert [x for x in label('a')]\n",
    "a unittest coroutine": "class TestA(unittest.IsolatedAsyncioTestCase):\n    async def test_a(self):\n"
    "        self.assertTrue(label('a'))\n",
    "names of all kinds": "def test_a():\n    try:\n        import os\n    except ValueError as error:\n"
    "        print(error, os)\n    match label('a'):\n        case [first, *rest]:\n            print(first, rest)\n",
}


@pytest.mark.parametrize("test", _PYTESTS_OWN.values(), ids=_PYTESTS_OWN)
def test_what_pytest_itself_gives(test: str) -> None:
    """No plug-in is wanted for it."""
    head = "import unittest\nfrom unittest import mock\n\nimport pytest\nfrom stamp import label\n"

    assert _python(test=f"{head}\n\n{test}").plugins == frozenset()


def test_a_mark_that_the_project_registers() -> None:
    """It only selects tests; a plug-in's mark stays one, registered or not."""
    test = (
        "import pytest\nfrom stamp import label\n\n\n@pytest.mark.{}\ndef test_a():\n    assert label('a')\n"
    )
    for settings, text in (
        ("pytest.ini", "[pytest]\nmarkers =\n    slow: takes long\n    asyncio: runs\n"),
        ("pyproject.toml", '[tool.pytest.ini_options]\nmarkers = [\n    "slow: takes long",\n]\n'),
        (
            "tests/conftest.py",
            "def pytest_configure(config):\n    config.addinivalue_line('markers', 'slow: x')\n",
        ),
    ):
        for name, wanted in (("slow", 0), ("asyncio", 1), ("other", 1)):
            files = {**_STAMP, settings: text, "tests/test_stamp.py": test.format(name)}
            found = _needs(files, "stamp/functions.py", "tests/test_stamp.py")
            assert len(found.plugins) == wanted, (settings, name)


def test_a_fixture_of_a_conftest() -> None:
    """It is a file of the project that the test reaches."""
    test = "from stamp import label\n\n\ndef test_a(given):\n    assert label(given)\n"
    conftest = "import pytest\n\n\n@pytest.fixture\ndef given():\n    return 'a'\n"
    files = {**_STAMP, "tests/test_stamp.py": test, "tests/conftest.py": conftest}

    assert _needs(files, "stamp/functions.py", "tests/test_stamp.py") == PairNeeds(
        frozenset({"tests/conftest.py"})
    )


_BOX = "package org.box;\n\npublic class Box {\n    int size() { return 1; }\n}\n"
_JAVA = {
    "src/main/java/org/box/Box.java": _BOX,
    "src/main/java/org/box/Lid.java": "package org.box;\n\nclass Lid {\n    static int SIZE = 1;\n}\n",
    "src/main/java/org/box/Lids.java": "package org.box;\n\nclass Hinge { }\nclass Lids { }\n",
    "src/main/java/org/other/Nail.java": "package org.other;\n\npublic class Nail {\n"
    "    public static class Head { }\n    public static int LONG = 1;\n}\n",
    "src/test/java/org/box/Given.java": "package org.box;\n\nclass Given { static int ONE = 1; }\n",
    "src/test/java/org/box/BoxTest.java": "package org.box;\n\nimport org.junit.Test;\n\npublic class BoxTest {\n"
    "    @Test public void a() { new Box().size(); }\n}\n",
}
_BOX_PATH, _BOX_TEST = "src/main/java/org/box/Box.java", "src/test/java/org/box/BoxTest.java"


def _java(head: str, expression: str) -> frozenset[str]:
    box = f"package org.box;\n\n{head}\n\npublic class Box {{\n    Object size() {{ return {expression}; }}\n}}\n"
    return _needs({**_JAVA, _BOX_PATH: box}, _BOX_PATH, _BOX_TEST, "Java").files


@pytest.mark.parametrize(
    ("head", "expression", "name"),
    [
        ("", "Lid.SIZE", "Lid"),
        ("import java.util.*;", "new Lid()", "Lid"),
        ("", "new Hinge()", "Lids"),
        ("import org.other.Nail;", "Nail.LONG", "Nail"),
        ("import org.other.*;", "Nail.LONG", "Nail"),
        ("import org.other.Nail.Head;", "new Head()", "Nail"),
        ("import static org.other.Nail.LONG;", "LONG", "Nail"),
        ("import static org.other.Nail.*;", "LONG", "Nail"),
        ("", "org.other.Nail.LONG", "Nail"),
        ("", "new org.other.Nail.Head()", "Nail"),
        ("", 'Class.forName("org.other.Nail")', "Nail"),
        ("", "Given.ONE", "Given"),
    ],
)
def test_java_that_reaches_a_class(head: str, expression: str, name: str) -> None:
    """By simple name in the package, by any import, in full, in a text, and of the tests' own folder."""
    assert [path.rpartition("/")[2] for path in _java(head, expression)] == [f"{name}.java"]


def test_java_that_stands_alone() -> None:
    """Comments, the standard library, own types and a name that hides another reach nothing."""
    assert _needs(_JAVA, _BOX_PATH, _BOX_TEST, "Java").files == frozenset()
    assert _java("import java.util.List;", "List.of(1)") == frozenset()
    assert _java("/** See {@link org.other.Nail}, and Lid. */", "1") == frozenset()
    assert _java("import java.util.*;", "new ArrayList<String>()") == frozenset()


_GO = {
    "go.mod": "module sums.example/sums\n\ngo 1.22\n",
    "sums.go": "package sums\n\ntype Box struct{ n int }\n\nfunc Sum(a, b int) int { return a + b }\n",
    "plus.go": "package sums\n\nconst Limit = 9\n\nfunc plus(a, b int) int { return a + b }\n\n"
    "func (b Box) Size() int { return b.n }\n",
    "given_test.go": "package sums\n\nfunc given() int { return 1 }\n",
    "inner/inner.go": "package inner\n\nfunc One() int { return 1 }\n",
    "sums_test.go": 'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tSum(1, 2)\n}\n',
}


def _go(test: str = "", **files: str) -> frozenset[str]:
    made = {**_GO, **({"sums_test.go": test} if test else {})}
    made |= {name.replace("_go", ".go"): text for name, text in files.items()}
    return _needs(made, "sums.go", "sums_test.go", "Go").files


def _go_test(expression: str, head: str = 'import "testing"', clause: str = "sums") -> str:
    return f"package {clause}\n\n{head}\n\nfunc TestSum(t *testing.T) {{\n\t_ = {expression}\n}}\n"


def test_go_that_reaches_another_file() -> None:
    """A sibling's function, method or constant, the tests' helpers, another package under any name."""
    assert _go(sums_go="package sums\n\nfunc Sum(a, b int) int { return plus(a, b) }\n") == {"plus.go"}
    assert _go(_go_test("Box{}.Size()")) == {"plus.go"}
    assert _go(_go_test("Sum(Limit, 1)")) == {"plus.go"}
    assert _go(_go_test("given()")) == {"given_test.go"}
    outside = 'import (\n\t"testing"\n\n\t{}"sums.example/sums"\n)'
    assert _go(_go_test("sums.Limit", outside.format(""), "sums_test")) == {"plus.go"}
    assert _go(_go_test("s.Limit", outside.format("s "), "sums_test")) == {"plus.go"}
    assert _go(_go_test("Limit", outside.format(". "), "sums_test")) == {"plus.go"}
    inner = 'import (\n\t"testing"\n\n\tx "sums.example/sums/inner"\n)'
    assert _go(_go_test("x.One()", inner)) == {"inner/"}
    assert _go(sums_go='package sums\n\nimport _ "embed"\n\n//go:embed a.txt\nvar Text string\n') == {"a.txt"}


def test_go_that_stands_alone() -> None:
    """Names that a function binds itself are its own, be they another file's too."""
    assert _go() == frozenset()
    assert (
        _go(sums_go="package sums\n\nfunc Sum(a, b int) int {\n\tplus := a + b\n\treturn plus\n}\n") == set()
    )
    assert (
        _go(_go_test("sums.Sum(1, 2)", 'import (\n\t"testing"\n\n\t"sums.example/sums"\n)', "sums_test"))
        == set()
    )

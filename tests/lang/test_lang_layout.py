"""Projects rebuilt from two texts."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Suite
from benchwright.lang.languages import LANGUAGES
from benchwright.lang.source import lay_out
from benchwright.lang.source_errors import LayoutError
from kit.examples import examples
from kit.lang_samples import CACHE_GO, CACHE_JAVA, CACHE_PY, CACHE_TEST_GO, CACHE_TEST_JAVA, CACHE_TEST_PY

FOCAL = "from os import path\n\nclass Cache:\n    pass\n\ndef lazy(f): return f\n"


def python(test: str, focal: str = FOCAL, **names: str) -> Suite:
    return lay_out(focal, test if "def test" in test else f"{test}\ndef test_a(): pass\n", "Python", **names)


def reason(focal: str, test: str, lang: str, **names: str) -> str:
    with pytest.raises(LayoutError) as caught:
        lay_out(focal, test, lang, **names)
    assert caught.value.message
    return caught.value.reason


def test_python_sample() -> None:
    """The focal file at its import path, packages with empty files, the test at the top."""
    suite = lay_out(CACHE_PY, CACHE_TEST_PY, "Python")

    assert suite.files == {
        "essentials/__init__.py": "",
        "essentials/caching.py": CACHE_PY,
        "test_caching.py": CACHE_TEST_PY,
    }
    assert (suite.lang, suite.framework) == ("Python", "pytest")
    assert (suite.focal, suite.test) == ("essentials/caching.py", "test_caching.py")
    assert suite.cases == [
        "test_empty",
        "test_filled",
        "TestLazy::test_calls",
        "TestLazy::test_twice",
        "test_last",
    ]


PYTHON = {
    "names of a module": ("from a.b import Cache", "a/b.py"),
    "one file": ("from b import lazy as l", "b.py"),
    "a module of a package": ("from a import b, c\ndef test_a(): b.Cache(c.X)", "a/b.py"),
    "a module, dotted": ("import a.b\ndef test_a(): a.b.Cache()", "a/b.py"),
    "a module by another name": ("import a.b as x, c\ndef test_a(): x.Cache(), c.q", "a/b.py"),
    "a star": ("from a.b import *\nfrom c import q\ndef test_a(): Cache()", "a/b.py"),
    "the most names": ("from a import Cache, z\nfrom b import Cache as D, lazy", "b.py"),
    "the fewest others": ("from a import Cache, z\nfrom b import Cache as D", "b.py"),
    "its own names before imported": ("from a import path\nfrom b import lazy", "b.py"),
    "patched": ("from a import q\nimport b\ndef test_a(): patch('b.Cache')", "b.py"),
    "imported inside": ("def test_a():\n    from a.b import Cache", "a/b.py"),
    "imported by name": ("m = importlib.import_module('a.b')\ndef test_a(): m.Cache()", "a/b.py"),
    "imported or skipped": ("m = pytest.importorskip('a.b')\ndef test_a(): m.lazy", "a/b.py"),
    "not the standard library": ("from functools import lazy\nfrom a import lazy as b", "a.py"),
    "not a test tool": ("from pytest import Cache\nfrom a import Cache", "a.py"),
    "a third party, when it is that": ("import numpy\nfrom click.core import Cache", "click/core.py"),
    "a package with more below": ("from a import Cache\nfrom a.c import X", "a/__init__.py"),
    "the only project import": ("import numpy\nfrom a.b import Gone", "a/b.py"),
    "same package": ("from .b import Cache", "project/b.py"),
    "same package, module": ("from . import b\ndef test_a(): b.Cache()", "project/b.py"),
    "package above": ("from ..b import Cache", "project/b.py"),
    "package beside": ("from ..a.b import Cache", "project/a/b.py"),
    "the package itself": ("from .. import Cache", "project/__init__.py"),
}


@pytest.mark.parametrize(("test", "focal"), PYTHON.values(), ids=PYTHON)
def test_python_focal(test: str, focal: str) -> None:
    """The import whose names the focal file defines says where it is."""
    suite = python(test)
    packages = {path for path in suite.files if path.endswith("/__init__.py")}
    folders = {path.rsplit("/", depth)[0] for path in suite.files for depth in range(1, path.count("/") + 1)}

    assert suite.focal == focal
    assert suite.files[suite.focal] == FOCAL
    assert packages == {f"{folder}/__init__.py" for folder in folders}


@pytest.mark.parametrize(
    ("test", "path"),
    [
        ("from .b import Cache", "project/test_b.py"),
        ("from ..b import Cache", "project/tests/test_b.py"),
        ("from ...b import Cache", "project/tests/unit/test_b.py"),
        ("from a.b import Cache\nfrom .q import x", "project/test_b.py"),
        ("from a import Cache\nfrom a.c import x", "test_a.py"),
    ],
)
def test_python_test_path(test: str, path: str) -> None:
    """A test that imports relatively is in as many packages as it goes up."""
    assert python(test).test == path


NAMED = {
    "the test's own folders": ("from ..b import Cache", {"test_name": "src/pkg/tests/test_x.py"}, "pkg/b.py", "pkg/tests/test_x.py"),
    "a name that pytest collects": ("from b import Cache", {"test_name": "x/b_test.py"}, "b.py", "b_test.py"),
    "not one that it does not": ("from b import Cache", {"test_name": "x/tests.py"}, "b.py", "test_b.py"),
    "not one that leads out": ("from b import Cache", {"test_name": "../../etc/test_\0.py"}, "b.py", "test_b.py"),
    "not one that is no module": ("from b import Cache", {"test_name": "test_a-b.py"}, "b.py", "test_b.py"),
    "a package by its name": ("from b import Cache", {"focal_name": "src/b/__init__.py"}, "b/__init__.py", "test_b.py"),
    "a tie by the focal name": ("from a import Cache\nfrom b import Cache", {"focal_name": "src/b.py"}, "b.py", "test_b.py"),
    "a tie by the test name": ("from a import Cache\nfrom b import Cache", {"test_name": "test_b.py"}, "b.py", "test_b.py"),
    "nothing defined, by the name": ("from a import X\nfrom c.b import Y", {"focal_name": "c/b.py"}, "c/b.py", "test_b.py"),
    "nothing defined, a well-known name": ("import x, idna.codec", {"focal_name": "idna/codec.py"}, "idna/codec.py", "test_codec.py"),
    "names before the path": ("import requests\nfrom b import Cache", {"focal_name": "src/requests.py"}, "b.py", "test_b.py"),
    "the test's name taken": ("from test_b import Cache", {"test_name": "test_b.py"}, "test_b.py", "test_the_test_b.py"),
}  # fmt: skip


@pytest.mark.parametrize(("test", "names", "focal", "path"), NAMED.values(), ids=NAMED)
def test_python_names(test: str, names: dict[str, str], focal: str, path: str) -> None:
    """Names decide what the texts leave open, and are not trusted with more."""
    suite = python(test, **names)

    assert (suite.focal, suite.test) == (focal, path)


PYTHON_REASONS = {
    "no import": ("def test_a(): Cache()", "no_import"),
    "only others": ("import os, numpy, pytest\ndef test_a(): 1", "no_import"),
    "a tie": ("from a import Cache\nfrom b import Cache\ndef test_a(): 1", "ambiguous"),
    "no cases": ("from a import Cache", "no_cases"),
    "syntax": ("def test_a(:", "syntax"),
    "too large": ("#" * (1 << 20) + "\n", "too_large"),
    "too far up": ("from ........b import Cache\ndef test_a(): 1", "package"),
    "too long a name": (f"from {'b' * 300} import Cache\ndef test_a(): 1", "package"),
}


@pytest.mark.parametrize(("test", "expected"), PYTHON_REASONS.values(), ids=PYTHON_REASONS)
def test_python_reasons(test: str, expected: str) -> None:
    """What cannot be laid out says why."""
    assert reason(FOCAL, test, "Python") == expected


def test_python_tie_is_told() -> None:
    """A tie names its candidates, and what would decide."""
    with pytest.raises(LayoutError) as caught:
        python("from a import Cache\nfrom b import Cache")

    assert "fit the focal file equally: a, b" in caught.value.message
    assert caught.value.hint == "give the focal file's path in its project"


def test_python_broken_focal() -> None:
    """A focal file that does not parse is laid out by what its lines look like: it has yet to fail."""
    suite = python("from a import other\nfrom b import Cache, SIZE", "SIZE = 3\nclass Cache:\n    def f(:\n")

    assert suite.focal == "b.py"


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (
            "import unittest\nfrom b import Cache\nclass A(unittest.TestCase):\n def test_a(self): 1",
            "unittest",
        ),
        ("import pytest\nfrom b import Cache\nclass A(unittest.TestCase):\n def test_a(self): 1", "pytest"),
        ("from b import Cache\nclass A(TestCase):\n def test_a(self): 1\ndef test_b(): 1", "pytest"),
        ("from b import Cache\nclass TestX:\n class A(TestCase):\n  def test_a(self): 1", "pytest"),
        ("from b import Cache\ndef test_b(): 1", "pytest"),
    ],
)
def test_python_framework(test: str, expected: str) -> None:
    """unittest where all tests are its own, pytest for everything else."""
    assert lay_out(FOCAL, test, "Python").framework == expected


def test_java_sample() -> None:
    """Packages are folders below two roots, the class names the file."""
    suite = lay_out(CACHE_JAVA, CACHE_TEST_JAVA, "Java")

    assert suite.files == {
        "src/main/java/com/acme/cache/Cache.java": CACHE_JAVA,
        "src/test/java/com/acme/cache/CacheTest.java": CACHE_TEST_JAVA,
    }
    assert (suite.framework, suite.focal) == ("junit5", "src/main/java/com/acme/cache/Cache.java")
    assert suite.cases == ["CacheTest#empty", "CacheTest#filled", "CacheTest$AfterOne#hasOne"]


TEST = "class BTest { @Test void a() { new B(); } }"
JAVA = {
    "no package": ("class B {}", TEST, "B.java", "BTest.java"),
    "the public one": ("class A {}\npublic class B {}", TEST, "B.java", "BTest.java"),
    "the one that is tested": ("class A {}\nclass B {}\nclass C {}", TEST, "B.java", "BTest.java"),
    "the first": ("interface Y {}\nclass X {}", TEST, "Y.java", "BTest.java"),
    "records, enums": ("public record R(int x) {}", TEST, "R.java", "BTest.java"),
    "the one with tests": ("class B {}", "class Help {}\n" + TEST, "B.java", "BTest.java"),
    "another package": (
        "package x.y; public class B {}",
        "package z;\nimport x.y.B;\n" + TEST,
        "x/y/B.java",
        "z/BTest.java",
    ),
    "another package, all of it": (
        "package x; public class B {}",
        "import x.*;\n" + TEST,
        "x/B.java",
        "BTest.java",
    ),
    "another package, members": (
        "package x; public class B {}",
        "package z; import static x.B.*;\n" + TEST,
        "x/B.java",
        "z/BTest.java",
    ),
    "another package, in full": (
        "package x; public class B {}",
        "package z;\nclass BTest { @Test void a() { new x.B(); } }",
        "x/B.java",
        "z/BTest.java",
    ),
    "broken": (
        "package x;\npublic class B { void f( {{{ ",
        "package x;\n" + TEST,
        "x/B.java",
        "x/BTest.java",
    ),
}


@pytest.mark.parametrize(("focal", "test", "path", "test_path"), JAVA.values(), ids=JAVA)
def test_java(focal: str, test: str, path: str, test_path: str) -> None:
    """Paths follow from package and type, independent of the other content of the files."""
    suite = lay_out(focal, test, "Java")

    assert (suite.focal, suite.test) == (f"src/main/java/{path}", f"src/test/java/{test_path}")


def test_java_given_name() -> None:
    """The file's name chooses among types that are not public, and nothing else."""
    focal = "class A {}\nclass C {}"

    assert lay_out(focal, TEST, "Java", focal_name="x/C.java").focal.endswith("/C.java")
    assert lay_out(focal, TEST, "Java", focal_name="x/D.java").focal.endswith("/A.java")
    assert lay_out("public class A {}", TEST, "Java", focal_name="x/D.java").focal.endswith("/A.java")


JAVA_REASONS = {
    "two public classes": ("public class A {}\npublic class B {}", TEST, "public_classes"),
    "two public test classes": ("class B {}", "public class X {}\npublic " + TEST, "public_classes"),
    "no cases": ("class B {}", "class BTest { void a() {} }", "no_cases"),
    "not imported": ("package x; public class B {}", "package z;\n" + TEST, "no_import"),
    "the unnamed package": ("public class B {}", "package z;\n" + TEST, "no_import"),
    "TestNG": ("class B {}", "import org.testng.annotations.Test;\n" + TEST, "framework"),
    "the same class": ("class BTest {}", TEST, "package"),
    "no type": ("package x;", "package x;\n" + TEST, "package"),
    "too large": ("class B {}", "/" * (1 << 20) + "\n", "too_large"),
    "surrogates": ("// \ud800", TEST, "syntax"),
    "too long": (f"package {'x' * 300}; class B {{}}", f"package {'x' * 300};\n{TEST}", "package"),
}


@pytest.mark.parametrize(("focal", "test", "expected"), JAVA_REASONS.values(), ids=JAVA_REASONS)
def test_java_reasons(focal: str, test: str, expected: str) -> None:
    """What cannot be laid out says why."""
    assert reason(focal, test, "Java") == expected


@pytest.mark.parametrize(
    ("imported", "expected"),
    [
        ("org.junit.jupiter.api.Test", "junit5"),
        ("org.junit.jupiter.api.*", "junit5"),
        ("org.junit.Test", "junit4"),
        ("org.junit.*", "junit4"),
        ("junit.framework.TestCase", "junit4"),
        ("org.junit.Assert;\nimport org.junit.jupiter.api.Test", "junit5"),
        ("java.util.List", "junit5"),
    ],
)
def test_java_framework(imported: str, expected: str) -> None:
    """By where the annotations come from."""
    assert lay_out("class B {}", f"import {imported};\n{TEST}", "Java").framework == expected


def test_java_framework_in_full() -> None:
    """Annotations written in full need no import."""
    test = "class BTest { @org.junit.Test public void a() {} }"

    assert lay_out("class B {}", test, "Java").framework == "junit4"


def test_go_sample() -> None:
    """The focal package is the module, so the test's import of it resolves."""
    suite = lay_out(CACHE_GO, CACHE_TEST_GO, "Go")

    assert suite.files == {
        "go.mod": "module github.com/acme/tools/cache\n\ngo 1.22\n",
        "focal.go": CACHE_GO,
        "focal_test.go": CACHE_TEST_GO,
    }
    assert (suite.framework, suite.focal, suite.test) == ("go", "focal.go", "focal_test.go")
    assert suite.cases == ["TestEmpty", "TestFilled"]


GO_CASE = 'import "testing"\n\nfunc TestA(t *testing.T) {}\n'
GO = {
    "inside": ("package b\n" + GO_CASE, "example.com/b", "focal_test.go"),
    "outside": ('package b_test\nimport "x.org/b"\n' + GO_CASE, "x.org/b", "focal_test.go"),
    "outside, no host": ('package b_test\nimport "my/b"\n' + GO_CASE, "my/b", "focal_test.go"),
    "by another name": (
        'package b_test\nimport q "x.org/go-y"\nimport "x.org/z"\nvar x = q.New()\nvar y = z.P\n' + GO_CASE,
        "x.org/go-y",
        "focal_test.go",
    ),
    "in a type": (
        'package b_test\nimport "x.org/y"\nimport "x.org/z"\nvar x y.Cache\nvar w z.P\n' + GO_CASE,
        "x.org/y",
        "focal_test.go",
    ),
    "a dot import": (
        'package b_test\nimport . "x.org/y"\nvar x = New()\n' + GO_CASE,
        "x.org/y",
        "focal_test.go",
    ),
    "a version": ('package b_test\nimport "x.org/b/v2"\n' + GO_CASE, "x.org/b/v2", "focal_test.go"),
    "another folder": ('package tests\nimport "x.org/b"\n' + GO_CASE, "x.org/b", "tests/focal_test.go"),
}


@pytest.mark.parametrize(("test", "module", "path"), GO.values(), ids=GO)
def test_go(test: str, module: str, path: str) -> None:
    """The module's path is the import whose names the focal file declares."""
    suite = lay_out("package b\n\ntype Cache int\n\nfunc New() Cache { return 0 }\n", test, "Go")

    assert (suite.files["go.mod"].split()[1], suite.test) == (module, path)


@pytest.mark.parametrize(
    ("given", "given_test", "focal", "test"),
    [
        ("x/lru.go", "x/lru_more_test.go", "lru.go", "lru_more_test.go"),
        ("x/lru.go", None, "lru.go", "lru_test.go"),
        ("_lru.go", "_lru_test.go", "focal.go", "focal_test.go"),
        ("x_test.go", "x.go", "focal.go", "focal_test.go"),
        ("a b.go", "../..", "focal.go", "focal_test.go"),
    ],
)
def test_go_names(given: str, given_test: str | None, focal: str, test: str) -> None:
    """Names are kept where the go command reads such files as what they are."""
    suite = lay_out("package b", "package b\n" + GO_CASE, "Go", focal_name=given, test_name=given_test)

    assert (suite.focal, suite.test) == (focal, test)


GO_REASONS = {
    "no import": ("package b", "package b_test\n" + GO_CASE, "no_import"),
    "only the standard library": ("package fmt", 'package fmt_test\nimport "fmt"\n' + GO_CASE, "no_import"),
    "a tie": ("package b", 'package b_test\nimport "x.org/b"\nimport "y.org/b"\n' + GO_CASE, "ambiguous"),
    "no cases": ("package b", "package b\nfunc TestMain(m *testing.M) {}\n", "no_cases"),
    "no package": ("package b", GO_CASE, "syntax"),
    "leads out": ("package b", 'package b_test\nimport "x.org/../b"\n' + GO_CASE, "package"),
    "too large": ("package b", "/" * (1 << 20) + "\n", "too_large"),
}


@pytest.mark.parametrize(("focal", "test", "expected"), GO_REASONS.values(), ids=GO_REASONS)
def test_go_reasons(focal: str, test: str, expected: str) -> None:
    """What cannot be laid out says why."""
    assert reason(focal, test, "Go") == expected


WORDS = st.sampled_from(
    ["from a import Cache\n", "from ..b import x\n", "import a.b\n", "a.b.Cache\n", "def test_a(): 1\n", "package a\n", 'import "x/a"\n',
     "func TestA(t *testing.T) {}\n", "class A { @Test void a() {} }\n", "package x.y;\n", "public class Cache {}\n", "import x.*;\n", "(", "é",
     "import test from 'node:test';\n", "test('a', () => {});\n", "import { a } from '../a.js';\n", "require('./a/../..');\n", "export const a = 1;\n"]
)  # fmt: skip
NAMES = st.none() | st.text(st.sampled_from("ab/._\\-\0é"), max_size=12).map(lambda text: f"{text}.py")


@given(st.sampled_from(LANGUAGES), st.lists(WORDS), st.lists(WORDS), NAMES, NAMES)
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary(
    lang: str, focal: list[str], test: list[str], name: str | None, test_name: str | None
) -> None:
    """Any two texts and names are laid out inside the project, or refused with a reason."""
    try:
        suite = lay_out("".join(focal), "".join(test), lang, focal_name=name, test_name=test_name)
    except LayoutError as error:
        assert error.reason
        return
    parts = [part for path in suite.files for part in path.split("/")]

    assert suite.cases
    assert suite.focal != suite.test
    assert (suite.files[suite.focal], suite.files[suite.test]) == ("".join(focal), "".join(test))
    assert not {"", ".", ".."} & set(parts)
    assert all(part.isprintable() for part in parts)


def test_focal_module_is_reached() -> None:
    """The test's import names a module that is a file of the layout, for the sample that data sets show."""
    suite = lay_out(CACHE_PY, CACHE_TEST_PY, "Python")
    imported = [
        node.module
        for node in ast.walk(ast.parse(suite.files[suite.test]))
        if isinstance(node, ast.ImportFrom)
    ]

    assert [f"{module}".replace(".", "/") + ".py" for module in imported] == [suite.focal]

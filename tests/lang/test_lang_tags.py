"""Facts on pairs without running them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.languages import LANGUAGES
from benchwright.lang.nondeterminism import USES, Detectors
from benchwright.lang.source import tags
from kit.examples import examples
from kit.lang_samples import CACHE_GO, CACHE_JAVA, CACHE_PY, CACHE_TEST_GO, CACHE_TEST_JAVA, CACHE_TEST_PY

KEYS = [
    "focal_lines", "test_lines", "focal_syntax", "test_syntax", "framework", "cases", "asserts", "parametrised",
    "dynamic_cases", "imports", "focal_uses", "test_uses",
]  # fmt: skip


def uses(code: str, lang: str) -> list[str]:
    found: list[str] = tags(code, "", lang)["focal_uses"]
    return found


def test_python_sample() -> None:
    """All facts of one pair."""
    assert tags(CACHE_PY, CACHE_TEST_PY, "Python") == {
        "focal_lines": 23,
        "test_lines": 52,
        "focal_syntax": True,
        "test_syntax": True,
        "framework": "pytest",
        "cases": 5,
        "asserts": 4,
        "parametrised": True,
        "dynamic_cases": False,
        "imports": {
            "standard": ["collections", "time"],
            "third_party": ["pytest"],
            "project": ["essentials.caching"],
            "relative": [],
        },
        "focal_uses": ["time"],
        "test_uses": ["sleep"],
    }


def test_java_sample() -> None:
    """The same keys in Java."""
    found = tags(CACHE_JAVA, CACHE_TEST_JAVA, "Java")

    assert list(found) == KEYS
    assert (found["framework"], found["cases"], found["asserts"], found["parametrised"]) == (
        "junit5",
        3,
        3,
        True,
    )
    assert found["imports"]["standard"] == ["java.util.LinkedHashMap", "java.util.List", "java.util.Map"]
    assert (found["focal_uses"], found["test_uses"]) == ([], [])


def test_go_sample() -> None:
    """The same keys in Go."""
    found = tags(CACHE_GO, CACHE_TEST_GO, "Go")

    assert list(found) == KEYS
    assert (found["framework"], found["cases"], found["asserts"], found["parametrised"]) == ("go", 2, 2, True)
    assert found["imports"]["third_party"] == ["github.com/acme/tools/cache"]
    assert (found["focal_uses"], found["test_uses"]) == ([], [])


PYTHON = {
    "time": "import time\nx = time.monotonic()",
    "time by another name": "from datetime import datetime as dt\nx = dt.utcnow()",
    "sleep": "from time import sleep\nsleep(1)",
    "random": "import numpy as np\nnp.random.rand()",
    "network": "import urllib.request",
    "threads": "from concurrent.futures import ThreadPoolExecutor",
    "processes": "import subprocess as sp\nsp.run([])",
    "environment": "import os\nx = os.environ['A']",
    "files": "def test_a(tmp_path): 1",
    "files by hand": "def f(name): return open(name)",
    "assets": "import pkgutil\npkgutil.get_data('a', 'b')",
    "assets beside": "x = __file__",
    "assets by path": "import pandas as pd\npd.read_csv('data.csv')",
    "async": "async def f(): 1",
    "mocks": "def test_a(monkeypatch): 1",
    "mocks by import": "from unittest import mock",
    "prints": "print(1)",
    "reflection": "exec('x = 1')",
    "callers": "import sys\nx = sys._getframe(1)",
    "callers by inspect": "from inspect import stack as s\nx = s()[1].frame",
    "callers by an exception": "def f(e): return e.__traceback__.tb_frame.f_back",
    "callers by a text": "def f(frame): return getattr(frame, 'f_back')",
    "callers by constants": "def f(code): return code.co_consts",
    "callers by their source line": "import linecache\ndef f(at): return linecache.getline('x.py', at)",
    "identity": "x = {hash('a'): 1}",
    "native": "import ctypes",
}
JAVA = {
    "time": "class A { long t = System.nanoTime(); }",
    "time made": "class A { Object t = new Date(); }",
    "sleep": "class A { void f() { Thread.sleep(1); } }",
    "random": "import java.util.Random; class A { Random r; }",
    "network": "import java.net.Socket; class A {}",
    "threads": "class A { ExecutorService s; }",
    "threads in streams": "class A { void f() { list.parallelStream(); } }",
    "processes": "class A { void f() { Runtime.getRuntime(); } }",
    "environment": "class A { String s = System.getenv(x); }",
    "files": "class A { void f(Path p) { Files.delete(p); } }",
    "assets": "class A { Object x = A.class.getResourceAsStream(y); }",
    "assets by path": 'class A { Object x = new File("data.csv"); }',
    "assets by path too": 'class A { Object x = Paths.get("data.csv"); }',
    "async": "class A { CompletableFuture<X> f; }",
    "mocks": "import org.mockito.Mockito; class A {}",
    "prints": "class A { void f() { System.out.println(); } }",
    "reflection": "class A { void f() { Class.forName(x); } }",
    "callers": "class A { Object x = new Throwable().getStackTrace(); }",
    "callers by a walker": "class A { StackWalker w; }",
    "identity": "class A { int x = System.identityHashCode(y); }",
    "native": "class A { void f() { System.loadLibrary(x); } }",
}
GO = {
    "time": "func f() { x := time.Now() }",
    "sleep": "func f() { time.Sleep(1) }",
    "random": 'import "math/rand"',
    "network": 'import "net/http"',
    "threads": "func f() { go g() }",
    "threads by channels": "var c chan int",
    "processes": 'import "os/exec"',
    "environment": 'func f() { os.Getenv("A") }',
    "files": "func f(p string) { os.Create(p) }",
    "assets": 'import _ "embed"',
    "assets by path": 'func f() { os.ReadFile("x.txt") }',
    "assets by habit": 'var p = "testdata/x.json"',
    "mocks": 'import "github.com/stretchr/testify/mock"',
    "prints": "func f() { fmt.Println() }",
    "prints built in": "func f() { println() }",
    "reflection": 'import "reflect"',
    "callers": 'import "runtime"\nfunc f() { runtime.Callers(1, nil) }',
    "identity": 'import "hash/maphash"',
    "native": 'import "unsafe"',
}
GO_HEAD = 'package a\nimport ("time"; "os"; "fmt")\n'


@pytest.mark.parametrize(("name", "code"), PYTHON.items(), ids=PYTHON)
def test_python_uses(name: str, code: str) -> None:
    """Each detector recognises its target by the full name, also under an alias."""
    assert name.partition(" ")[0] in uses(code, "Python")


@pytest.mark.parametrize(("name", "code"), JAVA.items(), ids=JAVA)
def test_java_uses(name: str, code: str) -> None:
    """Each detector sees its thing, by class and method or by import."""
    assert name.partition(" ")[0] in uses(code, "Java")


@pytest.mark.parametrize(("name", "code"), GO.items(), ids=GO)
def test_go_uses(name: str, code: str) -> None:
    """Each detector sees its thing, by import path and name or by statement."""
    assert name.partition(" ")[0] in uses(f"{GO_HEAD}{code}\n", "Go")


INNOCENT = [
    ("Python", "import time, os\nx = os.path.join('a', 'b')\ny = time.struct_time"),
    ("Python", "def f(id, hash): return id + hash\nopen = 3\nprint = None\nx = print, open"),
    ("Python", "class A:\n    def open(self): 1\nA().open('x.txt')\nre.compile('x')"),
    ("Python", "random = 3\nx = random + 1"),
    ("Java", "import java.util.List; class A { List<String> x; int Timeout; }"),
    ("Java", "import java.net.URI; class A { Date d; String s = x.toString(); }"),
    ("Go", 'package a\nimport "net/url"\nvar x = url.Parse'),
    ("Go", 'package a\nimport ("time"; "os")\nvar x = time.Second\nvar y = os.ErrNotExist'),
]


@pytest.mark.parametrize(("lang", "code"), INNOCENT)
def test_no_uses(lang: str, code: str) -> None:
    """Mentions that depend on nothing are not seen as uses."""
    assert uses(code, lang) == []


def test_every_use_is_seen() -> None:
    """The tables above have a sample of each word, but for what a language does not have."""
    shown = {
        lang: {name.split()[0] for name in table}
        for lang, table in (("Python", PYTHON), ("Java", JAVA), ("Go", GO))
    }

    assert (shown["Python"], shown["Java"], shown["Go"] | {"async"}) == (set(USES), set(USES), set(USES))


def test_detectors() -> None:
    """A name matches itself and every part before a dot, and may mean several things."""
    table = Detectors({"time": "a.b c", "files": "c d.e.f"})

    assert table.of(["a.b.c"]) == {"time"}
    assert table.of(["a", "ab", "d.e", "b.c"]) == set()
    assert table.of(["c", "d.e.f.g"]) == {"time", "files"}


@pytest.mark.parametrize(
    ("lang", "code", "count"),
    [
        ("Python", "assert a\nassert b\nself.assertEqual(1, 2)\nm.assert_called()\nself.fail()\n", 5),
        ("Python", "with pytest.raises(E): f()\nfrom pytest import warns\nwarns(E)\nassertion = 1\n", 2),
        (
            "Java",
            "class A { void f() { assertTrue(a); Assert.fail(); verify(x).y(); assertThat(a).isB(); assert a; } }",
            5,
        ),
        (
            "Go",
            "package a\nfunc f() { t.Error(1); t.Fatalf(2); assert.Equal(t, 1, 2); require.NoError(t, e); t.Log(3) }\n",
            4,
        ),
    ],
)
def test_asserts(lang: str, code: str, count: int) -> None:
    """Statements and calls that check something, in the manners of each language's libraries."""
    assert tags("", code, lang)["asserts"] == count


DYNAMIC = {
    "star import": ("Python", "from a import *\ndef test_a(): 1", True),
    "imported tests": ("Python", "from a import test_b\ndef test_a(): 1", True),
    "imported test classes": ("Python", "from .base import TestBase\ndef test_a(): 1", True),
    "imports of others": ("Python", "from unittest import TestCase\nfrom a import b\ndef test_a(): 1", False),
    "assigned": ("Python", "test_b = make()\ndef test_a(): 1", True),
    "assigned classes": ("Python", "TestB = type('TestB', (), {})\ndef test_a(): 1", True),
    "globals": ("Python", "globals().update(x)\ndef test_a(): 1", True),
    "setattr": ("Python", "for x in y:\n    setattr(A, x, z)\ndef test_a(): 1", True),
    "hooks": ("Python", "def load_tests(): 1\ndef test_a(): 1", True),
    "foreign bases": ("Python", "class TestA(Base):\n def test_a(self): 1", True),
    "local bases": ("Python", "class Base: 1\nclass TestA(Base):\n def test_a(self): 1", False),
    "expanded": ("Python", "class A(TestCase):\n @parameterized.expand([1])\n def test_a(self, x): 1", True),
    "plain": ("Python", "class A(unittest.TestCase):\n def test_a(self): 1\nx = 1\nprint(x)", False),
    "Java base elsewhere": ("Java", "class ATest extends Base { @Test void a() {} }", True),
    "Java base elsewhere, no own tests": ("Java", "class ATest extends Base { }", True),
    "Java base here": ("Java", "class Base {}\nclass ATest extends Base { @Test void a() {} }", False),
    "Java helper": ("Java", "class Help extends Base {}\nclass ATest { @Test void a() {} }", False),
    "JUnit 3": ("Java", "class ATest extends TestCase { public void testA() {} }", False),
    "Go": ("Go", 'package a\nimport . "b"\nfunc TestA(t *testing.T) {}', False),
}


@pytest.mark.parametrize(("lang", "code", "expected"), DYNAMIC.values(), ids=DYNAMIC)
def test_dynamic_cases(lang: str, code: str, expected: bool) -> None:
    """Tests that no parse can see are foretold."""
    assert tags("", code, lang)["dynamic_cases"] is expected


@pytest.mark.parametrize(("code", "lines"), [("", 0), ("a", 1), ("a\n", 1), ("a\n\nb", 3), ("\n", 1)])
def test_lines(code: str, lines: int) -> None:
    """Lines as an editor shows them."""
    assert tags(code, code, "Go")["focal_lines"] == lines


@pytest.mark.parametrize("lang", LANGUAGES)
def test_too_large(lang: str) -> None:
    """Of a text over the limit nothing is known but its lines."""
    found = tags("\n" * (1 << 20) + "x", "(", lang)

    assert (found["focal_syntax"], found["test_syntax"], found["focal_uses"]) == (False, False, [])


def test_keys_are_documented() -> None:
    """The docstring names every key."""
    assert tags.__doc__ is not None
    assert all(key in tags.__doc__ for key in KEYS)


def test_uses_are_documented() -> None:
    """The design note names every use."""
    note = (Path(__file__).parents[2] / "docs/design/13-languages.md").read_text(encoding="utf-8")

    assert all(f"`{use}`" in note for use in USES)


@given(st.sampled_from(LANGUAGES), st.text(max_size=60), st.text(max_size=60))
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary(lang: str, focal: str, test: str) -> None:
    """Any pair has the same keys, and they go through JSON."""
    found = tags(focal, test, lang)

    assert list(found) == KEYS
    assert json.loads(json.dumps(found)) == found

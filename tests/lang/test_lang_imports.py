"""Imports of a file by kind, and what a suite lacks."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.contracts import Suite
from benchwright.lang.go.tree import module_of, package_names
from benchwright.lang.java.tree import root_of
from benchwright.lang.languages import LANGUAGES
from benchwright.lang.protocol import KINDS, Import
from benchwright.lang.source import imports, lay_out, unresolved
from kit.examples import examples
from kit.lang_samples import CACHE_GO, CACHE_JAVA, CACHE_PY, CACHE_TEST_GO, CACHE_TEST_JAVA, CACHE_TEST_PY


def kinds(code: str, lang: str, *roots: str) -> dict[str, str]:
    return {each.module: each.kind for each in imports(code, lang, roots=roots)}


def test_python_records() -> None:
    """Modules, names and aliases, in the file's order, those inside functions and calls too."""
    code = (
        "import os.path, sys as system\nfrom a.b import c as d\nfrom . import e, f\n"
        "def g():\n    from ..h import *\n    importlib.import_module('k.l')\n    import_module(name)\n"
    )
    expected = [
        Import(module="os.path", kind="standard", line=1),
        Import(module="sys", kind="standard", line=1, alias="system"),
        Import(module="a.b", kind="project", line=2, names=["c"], alias="d"),
        Import(module=".", kind="relative", line=3, names=["e", "f"]),
        Import(module="..h", kind="relative", line=5, names=["*"]),
        Import(module="k.l", kind="project", line=6),
    ]

    assert imports(code, "Python") == expected


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        ("os", "standard"),
        ("__future__", "standard"),
        ("distutils.core", "standard"),
        ("asyncore", "standard"),
        ("tomllib", "standard"),
        ("numpy.random", "third_party"),
        ("pytest", "third_party"),
        ("essentials.caching", "project"),
        ("tests.helping", "project"),
    ],
)
def test_python_kinds(module: str, kind: str) -> None:
    """Modules of any Python version are standard; unknown modules belong to the project."""
    assert kinds(f"import {module}\n", "Python") == {module: kind}


def test_python_roots() -> None:
    """If the project's packages are known, all other modules are third-party."""
    code = "import essentials.caching, essential, numpy, click.core, os\n"

    assert kinds(code, "Python", "essentials", "click") == {
        "essentials.caching": "project",
        "essential": "third_party",
        "numpy": "third_party",
        "click.core": "project",
        "os": "standard",
    }


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING", "t.TYPE_CHECKING"])
def test_python_typing_only(test: str) -> None:
    """Imports for the type checker alone are marked; those of the other branch are not."""
    found = imports(f"if {test}:\n    if x:\n        import a\nelse:\n    import b\n", "Python")

    assert [(each.module, each.typing_only) for each in found] == [("a", True), ("b", False)]


@pytest.mark.parametrize(
    ("handler", "fallback"),
    [
        ("except ImportError:", True),
        ("except (A, ModuleNotFoundError):", True),
        ("except A:", False),
        ("except:", False),
    ],
)
def test_python_fallback(handler: str, fallback: bool) -> None:
    """What stands where another import has failed is marked, also deeper inside."""
    found = imports(f"try:\n    import a\n{handler}\n    if x:\n        import b\nimport c\n", "Python")

    assert [each.fallback for each in found] == [False, fallback, False]


def test_java_records() -> None:
    """Classes, wildcards and static members; a static import names its class."""
    code = (
        "package com.acme.x;\nimport java.util.List;\nimport com.acme.y.*;\n"
        "import static org.junit.Assert.assertTrue;\nimport static com.acme.x.Z.*;\n"
    )
    expected = [
        Import(module="java.util.List", kind="standard", line=2),
        Import(module="com.acme.y", kind="project", line=3, names=["*"]),
        Import(module="org.junit.Assert", kind="third_party", line=4, names=["assertTrue"]),
        Import(module="com.acme.x.Z", kind="project", line=5, names=["*"]),
    ]

    assert imports(code, "Java") == expected


@pytest.mark.parametrize(
    ("module", "kind"),
    [
        ("javax.net.ssl.SSLContext", "standard"),
        ("javax.inject.Inject", "third_party"),
        ("javax.annotation.Nullable", "third_party"),
        ("org.w3c.dom.Node", "standard"),
        ("org.apache.commons.io.IOUtils", "third_party"),
        ("org.apache.commons.lang3.tuple.Pair", "project"),
    ],
)
def test_java_kinds(module: str, kind: str) -> None:
    """Projects below a shared root are distinguished by more parts of the name."""
    assert kinds(f"package org.apache.commons.lang3;\nimport {module};\n", "Java") == {module: kind}


@pytest.mark.parametrize(
    ("package", "root"),
    [
        ("", []),
        ("a", ["a"]),
        ("com.acme", ["com.acme"]),
        ("com.acme.x.y", ["com.acme"]),
        ("com.google.gson.x", ["com.google.gson"]),
        ("org.apache.commons.io.x", ["org.apache.commons.io"]),
    ],
)
def test_java_root(package: str, root: list[str]) -> None:
    """Two names, or one more below each that many projects share."""
    assert root_of(package) == root


def test_java_roots() -> None:
    """Known roots decide."""
    code = "package a.b;\nimport a.b.C;\nimport d.e.F;\n"

    assert kinds(code, "Java", "d.e") == {"a.b.C": "third_party", "d.e.F": "project"}


def test_go_records() -> None:
    """Paths and names, from blocks and single imports."""
    code = (
        'package a\nimport "fmt"\nimport (\n\tx "net/http"\n\t. "strings"\n\t_ "embed"\n'
        '\t"my/pkg"\n\t`github.com/a/b`\n\t"../up"\n)\n'
    )
    expected = [
        Import(module="fmt", kind="standard", line=2),
        Import(module="net/http", kind="standard", line=4, alias="x"),
        Import(module="strings", kind="standard", line=5, names=["*"]),
        Import(module="embed", kind="standard", line=6, alias="_"),
        Import(module="my/pkg", kind="project", line=7),
        Import(module="github.com/a/b", kind="third_party", line=8),
        Import(module="../up", kind="relative", line=9),
    ]

    assert imports(code, "Go") == expected


def test_go_roots() -> None:
    """What is below the project's module is its own."""
    code = 'package a\nimport "github.com/a/b/c"\nimport "github.com/a/bc"\n'

    assert kinds(code, "Go", "github.com/a/b") == {
        "github.com/a/b/c": "project",
        "github.com/a/bc": "third_party",
    }


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("github.com/a/b/c/d", "github.com/a/b"),
        ("example.com/x/y", "example.com/x"),
        ("my/x/y", "my"),
        ("x", "x"),
    ],
)
def test_go_module(path: str, module: str) -> None:
    """Host, owner and repository where the host is known for it."""
    assert module_of(path) == module


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("fmt", "fmt"),
        ("net/http", "http"),
        ("gopkg.in/yaml.v3", "yaml"),
        ("github.com/a/b/v2", "b"),
        ("github.com/a/go-cmp", "cmp"),
        ("github.com/a/redis-go", "redis"),
        ("github.com/a/my-lib", "lib"),
        ("github.com/a/my-lib", "my_lib"),
    ],
)
def test_go_package_names(path: str, name: str) -> None:
    """The name that a package most likely has is among those guessed."""
    assert name in package_names(path)


@pytest.mark.parametrize("path", ["", "/", "...", "v2", "9"])
def test_go_package_names_of_nothing(path: str) -> None:
    """Odd paths have few names, and raise nothing."""
    assert all(name.isidentifier() for name in package_names(path))


@pytest.mark.parametrize(
    ("code", "lang"),
    [("import (", "Python"), ("\n" * (1 << 20) + "x", "Java"), ("import a\n" + "#" * (1 << 20), "Python")],
)
def test_no_tree_no_imports(code: str, lang: str) -> None:
    """A text without a tree has none."""
    assert imports(code, lang) == []


def missing(focal: str, test: str, lang: str, *roots: str, **names: str) -> list[str]:
    return unresolved(lay_out(focal, test, lang, **names), roots=roots)


@pytest.mark.parametrize(
    ("focal", "test", "lang"),
    [
        (CACHE_PY, CACHE_TEST_PY, "Python"),
        (CACHE_JAVA, CACHE_TEST_JAVA, "Java"),
        (CACHE_GO, CACHE_TEST_GO, "Go"),
    ],
)
def test_samples_lack_nothing(focal: str, test: str, lang: str) -> None:
    """Pairs that need nothing else are complete."""
    assert missing(focal, test, lang) == []


PYTHON = {
    "a module beside": ("from .base import X\nclass C: 1", "from a.b import C", ["a.base"]),
    "a package beside": ("from . import base\nclass C: 1", "from a.b import C", ["a.base"]),
    "another package": ("import a.util\nclass C: 1", "from a.b import C", ["a.util"]),
    "an unknown one": ("import zzz\nclass C: 1", "from a.b import C", ["zzz"]),
    "names of an empty package": ("class C: 1", "from a.b import C\nfrom a import VERSION", ["a.VERSION"]),
    "the module by its package": ("class C: 1", "from a import b\nfrom a.b import C", []),
    "not what the focal file lacks": ("class C: 1", "from a.b import C, Gone", []),
    "not for type checkers": ("if TYPE_CHECKING:\n import a.z\nclass C: 1", "from a.b import C", []),
    "not for want of another": (
        "try:\n import os\nexcept (ImportError, OSError):\n import a.z\nclass C: 1",
        "from a.b import C\ntry:\n import tomllib\nexcept ModuleNotFoundError:\n import tomlzz",
        [],
    ),
    "what may be missing": (
        "try:\n import a.z\nexcept ImportError: pass\nclass C: 1",
        "from a.b import C",
        ["a.z"],
    ),
    "too far up": ("from ...x import y\nclass C: 1", "from a.b import C", ["...x"]),
    "third parties": ("import numpy, os\nclass C: 1", "import pytest\nfrom a.b import C", []),
    "a broken focal file": ("import q\nclass C(:", "from a.b import C\nimport z", ["z"]),
}


@pytest.mark.parametrize(("focal", "test", "expected"), PYTHON.values(), ids=PYTHON)
def test_python_missing(focal: str, test: str, expected: list[str]) -> None:
    """Modules that the project has and the suite has not."""
    assert missing(focal, f"{test}\ndef test_a(): C()\n", "Python") == expected


def test_python_missing_with_roots() -> None:
    """With the project known, an unknown name is a third party's."""
    assert missing("import zzz, a.z\nclass C: 1", "from a.b import C\ndef test_a(): 1", "Python", "a") == [
        "a.z"
    ]


JAVA = {
    "a class beside": ("class B { C x; }", "x.C"),
    "made": ("class B { Object x = new C(); }", "x.C"),
    "extended": ("class B extends C<String> {}", "x.C"),
    "called": ("class B { int f() { return Cab.g(); } }", "x.Cab"),
    "annotated": ("@C class B {}", "x.C"),
    "the outer of a nested one": ("class B { C.D x; }", "x.C"),
    "imported": ("import x.y.C;\nclass B { C x; }", "x.y.C"),
    "all imported": ("import x.y.*;\nclass B { C x; }", "x.y.*"),
    "members imported": ("import static x.y.C.f;\nclass B {}", "x.y.C"),
}


@pytest.mark.parametrize(("focal", "expected"), JAVA.values(), ids=JAVA)
def test_java_missing(focal: str, expected: str) -> None:
    """Classes of the same package and of others of the project."""
    test = "package x;\nimport org.junit.Test;\nclass T { @Test public void a() {} }"

    assert missing(f"package x;\n{focal}", test, "Java") == [expected]


@pytest.mark.parametrize(
    "focal",
    [
        "class B<T extends Comparable<T>> { T x; <U> U f(U u) { return u; } }",
        "class B { String s; Integer i; @Override public String toString() { return String.valueOf(MAX.get()); } }",
        "import java.util.Map;\nclass B { Map.Entry<String, Long> x; }",
        "import java.util.*;\nclass B { List<String> x; }",
        "class B { static class C { } C x; enum D { A } D y; interface E {} record F(int z) {} }",
        "import static x.B.D.*;\nclass B { enum D { A } D y; }",
        "class B { int f(int Count) { return 1; } }",
        "import com.other.C;\nclass B { C x; }",
    ],
)
def test_java_complete(focal: str) -> None:
    """Nested types, type parameters, java.lang, imports and constants are not missing."""
    test = "package x;\nimport org.junit.Test;\nclass T { B b; @Test public void a() {} }"

    assert missing(f"package x;\n{focal}", test, "Java") == []


GO = {
    "a function": ("func New() int { return help() }", ["help"]),
    "a type": ("func New(x Kind) {}", ["Kind"]),
    "a constant": ("var x = LIMIT + 1", ["LIMIT"]),
    "an embedded type": ("type S struct { Base }", ["Base"]),
    "another package": ('import "x.org/m/util"\nvar x = util.Y', ["x.org/m/util"]),
    "another package, no host": ('import "my/util"\nvar x = util.Y', ["my/util"]),
}


@pytest.mark.parametrize(("focal", "expected"), GO.values(), ids=GO)
def test_go_missing(focal: str, expected: list[str]) -> None:
    """Names of files beside, and packages of the same module."""
    test = 'package b_test\nimport "testing"\nimport "x.org/m/b"\nfunc TestA(t *testing.T) { b.New() }\n'

    assert missing(f"package b\n{focal}\n", test, "Go") == expected


@pytest.mark.parametrize(
    "focal",
    [
        "func New() int { x := len(nums()); for i, v := range nums() { _, _ = i, v }; return x }\nfunc nums() []int { return nil }",
        "func F[K comparable, V any](m map[K]V) (out V, err error) { for _, v := range m { out = v }; return }",
        "type S struct { A int }\nfunc (s *S) M() S { return S{A: 1} }\nvar _ = (&S{}).M",
        "func F(v any) { switch x := v.(type) { case int: _ = x }; if y, ok := v.(string); ok { println(y) } }",
        "const (\n\tA = iota\n\tB\n)\nvar (\n\tc, d = A, B\n)",
        "func F() { L: for { break L } ; select { case x := <-ch: _ = x } }\nvar ch chan int",
        "type I interface { M(x int) error }\nfunc G(fs ...func(a int)) { for _, f := range fs { f(1) } }",
        'import "x.org/go-odd"\nvar x = strange.Y',
        'import . "x.org/dots"\nvar x = Y',
        "type T = map[string]int\nfunc main() { defer func() { recover() }() }",
    ],
)
def test_go_complete(focal: str) -> None:
    """Names declared anywhere, built in, or of a package whose path does not tell its name, are not missing."""
    test = 'package b\nimport "testing"\nfunc TestA(t *testing.T) { t.Log(1) }\n'

    assert missing(f"package b\n{focal}\n", test, "Go") == []


def test_go_test_may_use_what_is_inside() -> None:
    """A test in the package sees the focal file's names; one outside does not need them."""
    inside = 'package b\nimport "testing"\nfunc TestA(t *testing.T) { inner(gone) }\n'

    assert missing("package b\nfunc inner(x int) {}\n", inside, "Go") == ["gone"]


PIECES = st.sampled_from(
    ["import a\n", "from .b import c\n", 'import "x/y"\n', "import x.y.*;\n", "package b\n", "package x.y;\n", "class C<T> { D x; }\n",
     "func f(a int) { b() }\n", "def test_a(): a.b\n", "func TestA(t *testing.T) {}\n", "class T { @Test void a() {} }\n", "(", '"']
)  # fmt: skip


@given(st.sampled_from(LANGUAGES), st.lists(PIECES).map("".join))
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary(lang: str, code: str) -> None:
    """Any text has imports of known kinds, in order."""
    found = imports(code, lang)

    assert {each.kind for each in found} <= set(KINDS)
    assert [each.line for each in found] == sorted(each.line for each in found)


@given(st.sampled_from(LANGUAGES), st.lists(PIECES).map("".join), st.lists(PIECES).map("".join))
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary_suites(lang: str, focal: str, test: str) -> None:
    """Any suite lacks a sorted list of things."""
    files = {"go.mod": "module x\n", "a/b.py": focal, "test_b.py": test}
    suite = Suite(lang=lang, framework="pytest", files=files, focal="a/b.py", test="test_b.py", cases=[])
    found = unresolved(suite)

    assert found == sorted(set(found))

"""Imports that only the siblings of a case used go with them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.lines import heading
from benchwright.lang.protocol import Case
from benchwright.lang.source import only_case
from kit.examples import examples


def head_of(imports: str, *, kept: str = "pass", cut: str = "pass", more: str = "") -> str:
    """What is left of a file's imports when the test after it stays, and another one goes."""
    body = f"{more}def test_kept():\n    {kept}\n"
    code = f"{imports}\n\ndef test_cut():\n    {cut}\n\n\n{body}"
    left = only_case(code, Case(name="test_kept", first_line=1, last_line=1), "Python")

    assert left.endswith(body)
    return left.removesuffix(body).rstrip("\n") + "\n"


PYTHON = {
    "used by both": ("import a\n", "a", "a", "import a\n"),
    "used by the cut one": ("import a\nimport b\n", "b", "a", "import b\n"),
    "used by nobody": ("import a\n", "1", "1", "import a\n"),
    "all of them": ("import a\n", "1", "a", "\n"),
    "by another name": ("import a as b\nimport c as a\n", "a", "b", "import c as a\n"),
    "one of a line": ("from m import a, b, c\n", "a; c", "b", "from m import a, c\n"),
    "the last of a line": ("from m import a, b  # so\n", "a", "b", "from m import a  # so\n"),
    "of several modules": ("import a, b as c\n", "c", "a", "import b as c\n"),
    "a list": ("from m import (\n    a,\n    b,\n    c,\n)\n", "a; c", "b", "from m import (\n    a,\n    c,\n)\n"),
    "a list without its last comma": (
        "from m import (\n    a,\n    b,\n    c\n)\n", "a; b", "c", "from m import (\n    a,\n    b\n)\n",
    ),
    "a list of one": ("from m import (\n    a,\n    b,\n)\n", "b", "a", "from m import b\n"),
    "a list with remarks": (
        "from m import (  # x\n    a,  # y\n    # z\n    b,\n    c,  # w\n)\n", "a", "b; c",
        "from m import (  # x\n    a,  # y\n)\n",
    ),
    "a packed list": (
        "from m import (a, b,\n               c, d)\n", "b; d", "a; c", "from m import b, d\n",
    ),
    "a packed list with remarks": (
        "from m import (a, b,  # x\n               c, d)  # y\n", "b", "a; c; d", "from m import (b)  # y\n",
    ),
    "a packed list that lost its first line": (
        "from m import (a,\n               c, d)  # y\n", "c; d", "a", "from m import c, d  # y\n",
    ),
    "lines joined": ("from m import a, \\\n    b, \\\n    c\n", "a; b", "c", "from m import a, \\\n    b\n"),
    "lines joined before the names": ("from m import \\\n    a, b\n", "a", "b", "from m import a\n"),
    "commas first": ("from m import (a\n    , b)\n", "a", "b", "from m import (a\n    , b)\n"),
    "line ends of Windows": ("from m import (\r\n    a,\r\n    b,\r\n    c,\r\n)\r\n", "a; b", "c", "from m import (\r\n    a,\r\n    b,\r\n)\r\n"),
    "long packed lists keep their lines": (
        f"from m import (a, {'b' * 50},\n               c, {'d' * 50})\n", f"c; {'b' * 50}; {'d' * 50}", "a",
        f"from m import ({'b' * 50},\n               c, {'d' * 50})\n",
    ),
    "letters of many bytes": ("from m import é, b; \nimport c\n", "é", "c", "from m import é, b; \n"),
    "shared lines": ("import a; import b\n", "a", "b", "import a; import b\n"),
    "stars": ("from m import *\n", "1", "a", "from m import *\n"),
    "the future": ("from __future__ import annotations\n", "1", "annotations", "from __future__ import annotations\n"),
    "a submodule": ("import a.b\n", "a.c", "a.b", "import a.b\n"),
    "a submodule beside its package": ("import a\nimport a.b\n", "a.c()", "a.b.d", "import a\n"),
    "a submodule that is reached through the package": ("import a\nimport a.b\n", "f(a)", "a.b.d", "import a\nimport a.b\n"),
    "submodules that bind one name": ("import a.b\nimport a.c\n", "a.d", "a.b; a.c", "import a.b\nimport a.c\n"),
    "an unused submodule": ("import a\nimport a.b\n", "a.c", "a.c", "import a\nimport a.b\n"),
    "one of two submodules": ("import a.b\nimport a.c\n", "a.c", "a.b", "import a.c\n"),
    "a patched name": ("import a.b\n", "patch('a.b.c')", "a.b", "import a.b\n"),
    "a patched name of the file itself": ("import a\n", "patch('tests.test_x.a')", "a", "import a\n"),
    "and by its own name": ("import a\n", "patch(f'{__name__}.a')", "a", "import a\n"),
    "prose": ("import a\n", "'''It is a test.'''", "a", "\n"),
    "a doctest": ("import a\n", "'''It is.\n\n    >>> f(a)\n    1\n    '''", "a", "import a\n"),
    "an annotation as text": ("from m import A\n", "x: 'list[A] | None' = 1", "A()", "from m import A\n"),
    "an evaluated text": ("import a\n", "eval('a + 1')", "a", "import a\n"),
    "globals": ("import a\n", "globals()[f('the a')]", "a", "import a\n"),
    "a module that is skipped without": ("import np\nx = pytest.importorskip('np')\n", "x", "np", "import np\nx = pytest.importorskip('np')\n"),
    "exported": ("from m import a\n__all__ = ['a']\n", "1", "a", "from m import a\n__all__ = ['a']\n"),
    "a constant": ("import a\nX = a.b\n", "1", "a", "import a\nX = a.b\n"),
    "deleted": ("import a\ndel a\n", "1", "a", "import a\ndel a\n"),
    "another thing of that name": ("import a\n", "a = 1", "a", "\n"),
    "counted up": ("from m import a\n", "global a; a += 1", "a", "from m import a\n"),
    "a stand-in": ("try:\n    import a\nexcept ImportError:\n    a = None\nimport b\n", "b", "a", "import b\n"),
    "a stand-in that is needed": ("try:\n    import a\nexcept ImportError:\n    a = None\n", "a", "a", "try:\n    import a\nexcept ImportError:\n    a = None\n"),
    "a flag": ("try:\n    import a\n    X = True\nexcept ImportError:\n    X = False\n", "X", "a", "try:\n    import a\n    X = True\nexcept ImportError:\n    X = False\n"),
    "either of two": ("if x:\n    import a\nelse:\n    import b as a\nimport b\n", "b", "a", "import b\n"),
    "for types": ("from typing import TYPE_CHECKING, X\nif TYPE_CHECKING:\n    from m import A\n", "X", "x: A", "from typing import X\n"),
    "some for types": ("if TYPE_CHECKING:\n    from m import A\n    from n import B\n", "x: B", "x: A", "if TYPE_CHECKING:\n    from n import B\n"),
    "beside a test": ("if X:\n    import a\n\n    def test_more(): a\nimport b\n", "b", "a", "import b\n"),
    "on the line of its if": ("if X: import a\nimport b\n", "b", "a", "import b\n"),
    "groups stay apart": ("import a\nimport b\n\nimport c\nimport d\n", "a; d", "b; c", "import a\n\nimport d\n"),
    "the comment of a group": ("import a\n# ours\nimport b\nimport c\n\nimport d\n", "a; d", "b; c", "import a\n\nimport d\n"),
    "the comment of a group of which one stays": ("import a\n# ours\nimport b\nimport c\n", "c", "a; b", "# ours\nimport c\n"),
    "the comment of a file": ("# -*- coding: utf-8 -*-\n# Licence\nimport a\nimport b\n", "b", "a", "# -*- coding: utf-8 -*-\n# Licence\nimport b\n"),
}  # fmt: skip


@pytest.mark.parametrize(("imports", "kept", "cut", "expected"), PYTHON.values(), ids=PYTHON)
def test_python(imports: str, kept: str, cut: str, expected: str) -> None:
    """The imports that are left, letter for letter."""
    assert head_of(imports, kept=kept, cut=cut) == expected


HELD = {
    "by a helper": "def helper():\n    return a\n\n\n",
    "by a fixture": "@a.fixture\ndef thing():\n    return 1\n\n\n",
    "as a parameter, for it may be a fixture": "def helper(a):\n    return 1\n\n\n",
    "by a default": "def helper(x=a):\n    return x\n\n\n",
    "by a base": "class Thing(a.B):\n    pass\n\n\n",
    "by a set-up": "def setup_module():\n    a.go()\n\n\n",
    "by a mark": "pytestmark = a.slow\n\n\n",
}


@pytest.mark.parametrize("more", HELD.values(), ids=HELD)
def test_helpers_keep_what_they_use(more: str) -> None:
    """Fixtures, helpers and set-up stay, and their imports with them."""
    assert head_of("import a\n", cut="a", more=more) == "import a\n"


def test_imported_fixtures_stay() -> None:
    """One that only a cut test asked for may be what another imported fixture asks for."""
    code = "from m import one, two\n\n\ndef test_cut(one): one\n\n\ndef test_kept(two): two\n"
    left = only_case(code, Case(name="test_kept", first_line=1, last_line=1), "Python")

    assert left == "from m import one, two\n\n\ndef test_kept(two): two\n"


def test_decorators_and_classes_of_cut_tests() -> None:
    """Imports that only decorators or base classes of removed tests used are removed."""
    code = "import a\nfrom m import Base\n\n\nclass TestA(Base):\n    @a.b\n    def test_x(self): 1\n\n\ndef test_y(): 2\n"
    left = only_case(code, Case(name="test_y", first_line=1, last_line=1), "Python")

    assert left == "def test_y(): 2\n"


NAMES = ["alpha", "beta", "gamma", "delta", "eps"]
LAYOUTS = {
    "line": lambda names: f"from m import {', '.join(names)}\n",
    "brackets": lambda names: f"from m import ({', '.join(names)})\n",
    "list": lambda names: "from m import (\n" + "".join(f"    {name},\n" for name in names) + ")\n",
    "remarks": lambda names: "from m import (\n" + "".join(f"    {name},  # {name}\n" for name in names) + ")\n",
    "packed": lambda names: f"from m import ({names[0]}, " + ",\n               ".join(names[1:]) + ")\n",
    "joined": lambda names: "from m import " + ", \\\n    ".join(names) + "\n",
    "apart": lambda names: "".join(f"from m import {name}\n" for name in names),
    "renamed": lambda names: "import " + ", ".join(f"m.{name} as {name}" for name in names) + "\n",
}  # fmt: skip


@given(st.sampled_from(sorted(LAYOUTS)), st.sets(st.sampled_from(NAMES)), st.sets(st.sampled_from(NAMES)))
@settings(max_examples=examples(40), deadline=None)
def test_names_left_are_those_still_used_or_never_used(layout: str, kept: set[str], cut: set[str]) -> None:
    """Names keep their order in every layout; only names of removed tests disappear."""
    left = head_of(LAYOUTS[layout](NAMES), kept=f"f({', '.join(kept)})", cut=f"f({', '.join(cut)})")
    bound = [
        alias.asname or alias.name
        for node in ast.parse(left).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    ]
    expected = [name for name in NAMES if name in kept or name not in cut]

    assert bound == expected
    assert all(name not in left for name in set(NAMES) - set(expected))


IMPORT_JAVA = {
    "a class": ("import a.B;\nimport a.C;\n", "C x;", "B x;", "import a.C;\n"),
    "a nested class": ("import a.B.D;\nimport a.C;\n", "C x;", "D x;", "import a.C;\n"),
    "a static member": ("import static a.B.go;\nimport static a.B.stay;\n", "stay();", "go();", "import static a.B.stay;\n"),
    "by a method's name": ("import static a.B.go;\n", "x.go();", "go();", "import static a.B.go;\n"),
    "by a reference": ("import a.B;\n", "f(B::new);", "B x;", "import a.B;\n"),
    "by an annotation": ("import a.B;\n", "@B int x;", "B x;", "import a.B;\n"),
    "wildcards": ("import a.*;\nimport static a.B.*;\n", "", "B x;", "import a.*;\nimport static a.B.*;\n"),
    "used by nobody": ("import a.B;\n", "", "", "import a.B;\n"),
    "in a text": ("import a.B;\nimport a.C;\n", 'f("B", C);', "B x;", "import a.C;\n"),
    "in a remark": ("import a.B;\nimport a.C;\n", "C x; /* B */", "B x;", "import a.C;\n"),
    "in a link": ("import a.B;\n", "/** {@link B#go} */ int x;", "B x;", "import a.B;\n"),
    "with a remark": ("import a.B; // so\nimport a.C;\n", "C x;", "B x;", "import a.C;\n"),
    "shared lines": ("import a.B; import a.C;\n", "C x;", "B x;", "import a.B; import a.C;\n"),
    "groups stay apart": ("import a.B;\nimport a.C;\n\nimport b.D;\nimport b.E;\n", "B x; E x;", "C x; D x;", "import a.B;\n\nimport b.E;\n"),
    "a whole group": ("import a.B;\n\n// ours\nimport b.D;\n\nimport c.E;\n", "B x; E x;", "D x;", "import a.B;\n\nimport c.E;\n"),
    "line ends of Windows": ("import a.B;\r\nimport a.C;\r\n", "C x;", "B x;", "import a.C;\r\n"),
}  # fmt: skip


@pytest.mark.parametrize(("imports", "kept", "cut", "expected"), IMPORT_JAVA.values(), ids=IMPORT_JAVA)
def test_java(imports: str, kept: str, cut: str, expected: str) -> None:
    """By simple name, as the words of what stays."""
    body = "class A {{\n{}    @Test void kept() {{ {} }}\n}}\n"
    code = f"package x;\n\n{imports}\n" + body.format(f"    @Test void cut() {{ {cut} }}\n\n", kept)
    left = only_case(code, Case(name="A#kept", first_line=1, last_line=1), "Java")

    assert left == f"package x;\n\n{expected}\n" + body.format("", kept)


@pytest.mark.parametrize(
    "kept",
    [
        'json := "a"; f([]byte(json))',
        "json := []int{1}; f(json[0])",
        "json := g(); f(json[:1])",
        "json := 1; f(-json)",
    ],
)
def test_a_go_variable_that_is_called_like_a_package(kept: str) -> None:
    """A package has a dot behind it; an import of which only a variable's name is left would not compile."""
    head = 'package a\n\nimport (\n\t"encoding/json"\n\t"testing"\n)\n\n'
    cut = "func TestCut(t *testing.T) {\n\tjson.Marshal(t)\n}\n\n"
    test = f"func TestKept(t *testing.T) {{\n\t{kept}\n}}\n"
    left = only_case(head + cut + test, Case(name="TestKept", first_line=1, last_line=1), "Go")

    assert left == head.replace('\t"encoding/json"\n', "") + test


@pytest.mark.parametrize(
    ("text", "first", "gone", "expected"),
    [
        ("x\n# c\na\n", 3, {3}, 2),
        ("x\n# c\n# d\na\n\nb\n", 4, {4}, 2),
        ("x\n# c\na\nb\n", 3, {3}, 3),
        ("x\n# c\na\nb\n", 3, {3, 4}, 2),
        ("x\n# c\na\n# d\nb\n", 3, {3}, 2),
        ("\n# c\na\n", 3, {3}, 3),
        ("x\na\n", 2, {2}, 2),
    ],
)
def test_heading(text: str, first: int, gone: set[int], expected: int) -> None:
    """A comment goes with all that it heads, but for the one a file begins with."""
    assert heading(text.splitlines(keepends=True), first, gone, marker="#") == expected

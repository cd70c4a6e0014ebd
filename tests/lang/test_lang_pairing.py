"""Test files and the files that they test."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.lang.source import defining_file, focal_for, is_test_path
from kit.examples import examples


@pytest.mark.parametrize(
    "path",
    [
        "tests/test_a.py",
        "a/b_test.py",
        "x/FooTest.java",
        "x/FooTests.java",
        "x/TestFoo.java",
        "FooIT.java",
        "a_test.go",
    ],
)
def test_test_files(path: str) -> None:
    """Names that runners look for."""
    assert is_test_path(path)


@pytest.mark.parametrize(
    "path",
    [
        "a/b.py",
        "test_.py",
        "conftest.py",
        "testing.py",
        "Testable.java",
        "Test.java",
        "ITEM.java",
        "a.go",
        "test_a.txt",
        "",
    ],
)
def test_other_files(path: str) -> None:
    """Names that only look alike."""
    assert not is_test_path(path)


FILES = [
    "src/lib/caching.py",
    "src/lib/other/caching.py",
    "src/lib/_hidden.py",
    "src/lib/shapes/__init__.py",
    "src/lib/lonely.py",
    "tests/test_caching.py",
    "src/main/java/a/Foo.java",
    "src/main/java/b/Foo.java",
    "src/main/java/b/Bar.java",
    "p/x.go",
    "q/x.go",
    "q/y.go",
]
PAIRS = {
    "by import": ("tests/test_caching.py", "from lib.other.caching import X", "src/lib/other/caching.py"),
    "by import of a module": ("tests/test_caching.py", "from lib.other import caching", "src/lib/other/caching.py"),
    "by folder": ("tests/other/test_caching.py", "", "src/lib/other/caching.py"),
    "beside": ("src/lib/other/caching_test.py", "", "src/lib/other/caching.py"),
    "a hidden module": ("tests/test_hidden.py", "", "src/lib/_hidden.py"),
    "a package": ("tests/test_shapes.py", "", "src/lib/shapes/__init__.py"),
    "no such name, one import": ("tests/test_more.py", "import pytest, os\nfrom lib import lonely", "src/lib/lonely.py"),
    "no such name, two imports": ("tests/test_more.py", "from lib import lonely\nimport lib.shapes", None),
    "no such name": ("tests/test_more.py", "", None),
    "Java by folder": ("src/test/java/b/FooTest.java", "", "src/main/java/b/Foo.java"),
    "Java by import": ("src/test/java/c/FooTest.java", "import a.Foo;\nclass FooTest {}", "src/main/java/a/Foo.java"),
    "Java, a tie": ("src/test/java/c/FooTest.java", "", None),
    "Java, one import": ("src/test/java/c/MoreTest.java", "import b.Bar;\nclass MoreTest {}", "src/main/java/b/Bar.java"),
    "Go in its folder": ("q/x_test.go", "", "q/x.go"),
    "Go, none there": ("r/x_test.go", "", None),
    "no test": ("src/lib/caching.py", "", None),
}  # fmt: skip


@pytest.mark.parametrize(("path", "code", "expected"), PAIRS.values(), ids=PAIRS)
def test_pairs(path: str, code: str, expected: str | None) -> None:
    """Names propose, imports and folders decide, and a tie is no pair."""
    assert focal_for(path, FILES, code) == expected


NAMES = st.text(st.sampled_from("abTest_/."), max_size=20).flatmap(
    lambda text: st.sampled_from([f"{text}.py", f"{text}.java", f"{text}.go", text])
)


@given(NAMES, st.lists(NAMES, max_size=5), st.text(max_size=40))
@settings(max_examples=examples(40), deadline=None)
def test_arbitrary(path: str, files: list[str], code: str) -> None:
    """Any path pairs with one of the files, never with a test, or with none."""
    focal = focal_for(path, files, code)

    assert focal is None or (focal in files and not is_test_path(focal))


BEHIND = {
    "one module": ("from .one import A, B", "from pkg import A\nfrom pkg import B", "src/pkg/one.py"),
    "by its full name": ("from pkg.one import A", "import pkg\npkg.A()", "src/pkg/one.py"),
    "deeper": ("from .sub.deep import A", "from pkg import A", "src/pkg/sub/deep.py"),
    "two modules": ("from .one import A\nfrom .two import B", "from pkg import A, B", "src/pkg/__init__.py"),
    "the one of two": ("from .one import A\nfrom .two import B", "from pkg import B", "src/pkg/two.py"),
    "the package's own": ("from .one import A\ndef B(): 1", "from pkg import A, B", "src/pkg/__init__.py"),
    "another package's": ("from ..one import A", "from pkg import A", "src/pkg/__init__.py"),
    "no such file": ("from .gone import A", "from pkg import A", "src/pkg/__init__.py"),
    "nothing is taken": ("from .one import A", "import pkg", "src/pkg/__init__.py"),
    "for type checkers": (
        "if TYPE_CHECKING:\n from .one import A",
        "from pkg import A",
        "src/pkg/__init__.py",
    ),
    "a torn package": ("from .one import A\ndef (", "from pkg import A", "src/pkg/__init__.py"),
    "a torn test": ("from .one import A", "from pkg import (", "src/pkg/__init__.py"),
}


@pytest.mark.parametrize(("init", "test", "expected"), BEHIND.values(), ids=BEHIND)
def test_behind_a_package(init: str, test: str, expected: str) -> None:
    """A package that passes names on is seen through, where all names lead to one file."""
    files = [f"src/pkg/{name}.py" for name in ("__init__", "one", "two", "sub/deep")]

    assert defining_file("src/pkg/__init__.py", init, test, files) == expected


def test_behind_no_package() -> None:
    """A module is what it is, and so is a file of a language without packages that pass on names."""
    assert defining_file("a/Foo.java", "class Foo {}", "import a.Foo;", ["a/Bar.java"]) == "a/Foo.java"
    assert (
        defining_file("pkg/one.py", "from .two import A", "from one import A", ["pkg/two.py"]) == "pkg/one.py"
    )

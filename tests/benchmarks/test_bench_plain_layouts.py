"""Layouts by path: where the two files go, and how the test finds the focal one."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.plain_layouts import (
    Pair,
    go_module,
    java_class,
    lay_out_go,
    lay_out_java,
    lay_out_python,
    problem,
    python_root,
)


def python(focal_path: str, test: str, test_path: str = "tests/test_it.py") -> Pair:
    return Pair("Python", focal_path, "", test_path, test)


@pytest.mark.parametrize(
    ("focal_path", "test", "root"),
    [
        ("shop/prices.py", "from shop.prices import total\n", ""),
        ("src/shop/prices.py", "import shop.prices as p\n", "src"),
        ("src/shop/prices.py", "from shop import (\n    carts,\n    prices,\n)\n", "src"),
        ("src/shop/__init__.py", "from shop import total\n", "src"),
        ("lib/deep/prices.py", "from prices import total\n", "lib/deep"),
        ("lib/prices.py", "x = 'from shop.prices'\n", "lib"),
        ("shop/prices.py", "from ..prices import total\n", ""),
        ("shop/prices.py", "from prices_of_old import x\nfrom shop.prices import y\n", ""),
    ],
)
def test_the_words_of_the_test_say_where_the_root_is(focal_path: str, test: str, root: str) -> None:
    """The longest dotted name that is imported counts; other names that begin alike do not."""
    assert python_root(python(focal_path, test)) == (root, "")


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_packages_are_made_around_the_focal_file_alone(tmp_path: Path) -> None:
    """The root is none, and neither is the folder of a test that imports nothing relatively."""
    paths = lay_out_python(tmp_path, python("src/shop/prices.py", "from shop.prices import total\n"))

    assert files(tmp_path) == {"src/shop/__init__.py", "src/shop/prices.py", "tests/test_it.py"}
    assert paths == [str(tmp_path / "src"), str(tmp_path)]


def test_a_package_hands_on_what_the_test_takes_from_it(tmp_path: Path) -> None:
    """As the repository's own does, which is not among the two files."""
    pair = python("src/shop/parts/prices.py", "from shop.parts import total\n")
    lay_out_python(tmp_path, pair)

    assert python_root(pair) == ("src", "src/shop/parts")
    assert (tmp_path / "src/shop/parts/__init__.py").read_text() == "from .prices import *\n"
    assert (tmp_path / "src/shop/__init__.py").read_text() == ""


@pytest.mark.parametrize(
    ("test", "handed"),
    [
        ("from shop.parts import total\n\ndef test_it():\n    assert total([1]) == 1\n", True),
        ("from shop.parts import total\n\ndef test_it():\n    assert total.total([1]) == 1\n", False),
        ("from shop.parts.total import total\n\ndef test_it():\n    assert total([1]) == 1\n", False),
        ("from shop.parts import total as t\n", False),
    ],
)
def test_a_package_hands_on_a_function_named_like_its_module(tmp_path: Path, test: str, handed: bool) -> None:
    """Where the test calls it; where it takes something from it, it is the module."""
    pair = Pair("Python", "shop/parts/total.py", "def total(xs):\n    return sum(xs)\n", "test_it.py", test)
    lay_out_python(tmp_path, pair)
    said = (tmp_path / "shop/parts/__init__.py").read_text()

    assert said == ("from .total import *\nfrom .total import total\n" if handed else "")


def test_a_relative_import_makes_packages_of_the_tests_folders(tmp_path: Path) -> None:
    """Python needs them to know what the dots go up from."""
    lay_out_python(tmp_path, python("shop/prices.py", "from ..prices import a\n", "shop/tests/test_it.py"))

    assert {"shop/__init__.py", "shop/tests/__init__.py"} <= files(tmp_path)


@pytest.mark.parametrize(
    ("clause", "imported", "folder", "module"),
    [
        ("shop", "github.com/a/b", "shop", "example.org/shop"),
        ("shop_test", "github.com/a/b/shop", "shop", "github.com/a/b/shop"),
        ("shop_test", "github.com/a/go-shop", ".", "github.com/a/go-shop"),
        ("shop_test", "strings", ".", "example.org/shop"),
    ],
)
def test_a_go_module_is_what_the_test_imports(clause: str, imported: str, folder: str, module: str) -> None:
    """A test of the package itself imports nothing of it, so any name will do."""
    test = f'package {clause}\n\nimport (\n\t"testing"\n\n\t"{imported}"\n)\n'

    assert (
        go_module(Pair("Go", f"{folder}/sum.go", "package shop\n", f"{folder}/sum_test.go", test)) == module
    )


def test_go_and_java_files_lie_side_by_side(tmp_path: Path) -> None:
    """A module's root and javac need no folders."""
    lay_out_go(tmp_path / "go", Pair("Go", "a/b.go", "package b\n", "a/b_test.go", "package b\n"))
    names = lay_out_java(tmp_path / "java", Pair("Java", "s/m/A.java", "", "s/t/ATest.java", ""))

    assert files(tmp_path) == {"go/b.go", "go/b_test.go", "java/A.java", "java/ATest.java"}
    assert names == (["A.java", "ATest.java"], [])


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.py", "a/../../x.py", "a\0b.py", "", "x/" * 200])
def test_a_path_that_leads_out_is_refused(path: str) -> None:
    """A row's path is a stranger's."""
    assert problem(python(path, ""))
    assert problem(python("a.py", "", test_path=path))
    assert problem(python("a.py", "", test_path="b.py")) == ""


def test_a_pair_among_its_project(tmp_path: Path) -> None:
    """The row's two files take the place of the project's; what only other tests want goes."""
    beside = {
        "go.mod": b"module example.org/box\n\ngo 1.20\n\nrequire (\n\tgithub.com/x/y v1.0.0\n)\n",
        "box.go": b"package box // as it was\n",
        "fill.go": b"package box\n",
        "helper_test.go": b"package box\n",
        "other_test.go": b'package box\n\nimport "github.com/x/y"\n',
    }
    pair = Pair("Go", "box.go", "package box\n", "box_test.go", "package box\n", beside)

    assert lay_out_go(tmp_path, pair) == (".", "")
    assert files(tmp_path) == {"go.mod", "box.go", "fill.go", "helper_test.go", "box_test.go"}
    assert (
        "require" not in (tmp_path / "go.mod").read_text()
        and (tmp_path / "box.go").read_text() == "package box\n"
    )


def test_the_sources_of_a_java_project(tmp_path: Path) -> None:
    """Javac finds other classes by their packages, from each folder that those begin in."""
    beside = {"main/org/box/Lid.java": b"package org.box;\n", "doc/a.txt": b"x"}
    focal, test = "main/org/box/Box.java", "test/org/box/BoxTest.java"
    pair = Pair("Java", focal, "package org.box;\n", test, "package org.box;\n", beside)

    assert lay_out_java(tmp_path, pair) == ([focal, test], ["main", "test"])
    assert java_class(pair) == "org.box.BoxTest"


def test_the_folders_of_a_python_project(tmp_path: Path) -> None:
    """The project's own packages stay as they are."""
    beside = {"src/shop/__init__.py": b"from .prices import total\n", "tests/conftest.py": b""}
    pair = Pair("Python", "src/shop/prices.py", "", "tests/test_it.py", "from shop import total\n", beside)

    assert lay_out_python(tmp_path, pair) == [str(tmp_path / "src"), str(tmp_path)]
    assert (tmp_path / "src/shop/__init__.py").read_bytes() == beside["src/shop/__init__.py"]

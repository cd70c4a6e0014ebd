"""A module and a function of one name: which of the two a test means, and where the focal file goes then."""

from __future__ import annotations

import ast

import pytest

from benchwright.lang.python.layout import meanings
from benchwright.lang.source import lay_out
from benchwright.lang.source_errors import LayoutError

FOCAL = "LIMIT = 3\n\n\nclass Shape:\n    area = 1\n\n\ndef area(x):\n    return power(x)\n\n\ndef power(x):\n    return x\n"
PATH = "pkg/area.py"
HEAD = "from pkg import area\n"
MODULE, OBJECT = ({"pkg.area"}, set[str]()), (set[str](), {"pkg.area"})
BOTH, NONE = ({"pkg.area"}, {"pkg.area"}), (set[str](), set[str]())


def case(*lines: str, head: str = HEAD) -> str:
    """A test file of one case."""
    return "\n".join([head, "", "def test_it():", *(f"    {line}" for line in lines), ""])


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        (case("assert area.power(2) == 2"), MODULE),
        (case("assert area.LIMIT == 3"), MODULE),
        (case("assert area(2) == 2"), OBJECT),
        (case("assert list(map(area, [2])) == [2]"), OBJECT),
        (case("assert area.cache_info()"), OBJECT),
        (case("assert area.area(2) == 2", "assert area(2) == 2"), BOTH),
        (case("assert True"), NONE),
        (case("assert area.__name__"), NONE),
        (case("monkeypatch.setattr(area, 'LIMIT', 4)"), MODULE),
        (case("with patch.object(area, 'wraps'): pass"), OBJECT),
        (case("assert a.power(2) == 2", head="from pkg import area as a"), MODULE),
        (case("assert pkg.area.power(2) == 2", head="import pkg"), MODULE),
        (case("assert pkg.area(2) == 2", head="import pkg"), OBJECT),
        (case("assert pkg.area.area(2) == 2", head="import pkg.area"), MODULE),
        (case("assert area.power(2) == 2", head="from .pkg import area"), ({".pkg.area"}, set())),
        (case("assert area.power(2) == 2", head="from . import area"), ({".area"}, set())),
        (case("assert other.limit(2)", head="from pkg import other"), NONE),
        (case("area = 2"), NONE),
    ],
)
def test_what_a_test_means_by_a_name(test: str, expected: tuple[set[str], set[str]]) -> None:
    """By what it does with it: a module is taken from, and what it defines is called or passed on."""
    assert meanings(ast.parse(test), FOCAL) == expected


def test_a_focal_file_that_does_not_parse_has_no_members() -> None:
    """Its names are those that its lines begin with."""
    assert meanings(ast.parse(case("assert area.power(2)")), FOCAL + "(\n") == MODULE


def test_a_member_of_a_class_is_nothing_of_a_module() -> None:
    """`Shape.area` is what the class holds, though the file has a function of that name too."""
    found = meanings(ast.parse(case("assert Shape.area == 1", head="from pkg import Shape")), FOCAL)

    assert "pkg.Shape" not in found.modules


@pytest.mark.parametrize(
    ("test", "focal"),
    [
        (case("assert area.power(2) == 2"), "pkg/area.py"),
        (case("assert area(2) == 2"), "pkg.py"),
        (case("assert pkg.area.area(2) == 2", head="import pkg.area"), "pkg/area.py"),
        (case("assert area(2) == 2", head="from pkg.area import area"), "pkg/area.py"),
        (case("assert area.power(2) == 2", head="from src.pkg import area"), "src/pkg/area.py"),
    ],
)
@pytest.mark.parametrize("path", [PATH, f"src/{PATH}", None])
def test_the_focal_file_goes_where_the_test_means_it(test: str, focal: str, path: str | None) -> None:
    """With the file's path in its repository or without it."""
    suite = lay_out(FOCAL, test, "Python", focal_name=path, test_name="tests/test_area.py")

    assert suite.focal == focal


@pytest.mark.parametrize(
    "test",
    [
        case("assert area.power(2) == 2", "assert area(2) == 2"),
        case("assert area(power(2)) == 2", head="from pkg.area import power\nfrom pkg import area"),
    ],
)
def test_a_test_that_means_both_fits_no_two_files(test: str) -> None:
    """Its package hands on the function beside the module, which only its `__init__.py` could say."""
    with pytest.raises(LayoutError, match=r"pkg\.area as a module and as what") as caught:
        lay_out(FOCAL, test, "Python", focal_name=PATH, test_name="tests/test_area.py")

    assert caught.value.reason == "ambiguous"


def test_another_file_by_that_name_is_no_module_of_the_package() -> None:
    """The focal file's path says that it is the package itself, which defines the name."""
    test = case("assert area.power(2) == 2")
    suite = lay_out(FOCAL, test, "Python", focal_name="pkg/__init__.py", test_name="test_pkg.py")

    assert suite.focal == "pkg/__init__.py"

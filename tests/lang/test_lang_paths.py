"""Paths out of data sets: what of them may be a file's name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.paths import MOST_BYTES, check_go_import, check_names, safe_name
from benchwright.lang.source_errors import REASONS, LayoutError

ANY = st.one_of(st.none(), st.text(max_size=40), st.text(st.sampled_from("aZ0_.-$/\\ \0é"), max_size=20))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.py", "a.py"),
        ("src/pkg/a_b.py", "a_b.py"),
        ("..\\..\\a.py", "a.py"),
        ("/etc/a-b.py", "a-b.py"),
        ("a.b.py", "a.b.py"),
        ("a.java", None),
        (".py", None),
        (".hidden.py", None),
        ("-rf.py", None),
        ("a b.py", None),
        ("a\n.py", None),
        ("é.py", None),
        ("x" * MOST_BYTES + ".py", None),
        ("", None),
        (None, None),
    ],
)
def test_safe_names(path: str | None, expected: str | None) -> None:
    """The last part alone, if every file system and shell takes it for a name."""
    assert safe_name(path, ".py") == expected


@given(ANY)
def test_a_safe_name_is_one_part(path: str | None) -> None:
    """The name of any path has no separator, no parent folder and no special character of a shell."""
    name = safe_name(path, ".py")

    assert name is None or (
        name.endswith(".py") and "/" not in name and name.isascii() and name.isprintable()
    )
    assert name not in ("..", ".", "")


@pytest.mark.parametrize("part", ["a", "B_1", "Outer$Inner", "привет"])
def test_parts_that_are_names(part: str) -> None:
    """Identifiers of any of the languages."""
    assert check_names(["x", part]) == ["x", part]


@pytest.mark.parametrize("part", ["", "..", "a/b", "a.b", "1a", "a b", "a\0", "é" * MOST_BYTES])
def test_parts_that_are_none(part: str) -> None:
    """They are refused with a reason, and what is shown of them is short."""
    with pytest.raises(LayoutError) as caught:
        check_names(["x", part])

    assert (caught.value.reason, len(caught.value.message) < 400) == ("package", True)


@pytest.mark.parametrize("path", ["fmt", "example.org/a-b/v2", "x.io/~user/y_z"])
def test_import_paths(path: str) -> None:
    """Their parts."""
    assert check_go_import(path) == path.split("/")


@pytest.mark.parametrize(
    "path", ["", "/a", "a//b", "a/../b", "./a", "a/.git", "a b", "a\\b", "a/" + "x" * 300]
)
def test_import_paths_that_lead_elsewhere(path: str) -> None:
    """They are refused."""
    with pytest.raises(LayoutError):
        check_go_import(path)


@given(st.text(max_size=40))
def test_an_import_path_stays_inside(path: str) -> None:
    """Of what is let through, no part is empty or begins with a dot."""
    try:
        parts = check_go_import(path)
    except LayoutError as error:
        assert error.reason in REASONS
        return

    assert all(part and not part.startswith(".") and len(part) <= MOST_BYTES for part in parts)

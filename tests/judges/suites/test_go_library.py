"""What a suite may import, and how the compiler is told where it is."""

from __future__ import annotations

import pytest

from benchwright.judges.suites.go_inside import main_source
from benchwright.judges.suites.go_library import Library, cache_folder, is_public

KEPT = Library(folder="/kept", packages=frozenset({"fmt", "internal/abi"}), harness="bwharness-1")


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("fmt", True),
        ("net/http", True),
        ("internal/abi", False),
        ("testing/internal/testdeps", False),
        ("vendor/golang.org/x/net", False),
        ("bwharness", False),
    ],
)
def test_public(name: str, public: bool) -> None:
    """Internal packages, copies of other modules and our own are not for suites."""
    assert is_public(name) is public


def test_config() -> None:
    """An importcfg names the places in the jail, the harness by its own archive."""
    lines = KEPT.config(frozenset({"fmt"})).splitlines()

    assert lines == [
        "packagefile bwharness=/go-library/bwharness-1.a",
        "packagefile fmt=/go-library/fmt.a",
    ]


def test_public_of_a_library() -> None:
    """Only what suites may import is offered to them."""
    assert KEPT.public == {"fmt"}


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """The user's cache folder is respected."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert str(cache_folder()) == f"{tmp_path}/benchwright"


def test_main_source() -> None:
    """The main package leads from a number to the entry of its suite, of those that compiled."""
    plan = {"harness": "bwharness", "entries": {"1": ("s1/a", "SuiteX"), "2": ("s2/b", "SuiteY")}}
    source = main_source(plan, ["2"])

    assert ('import s2 "s2/b"' in source, "\t\t2: s2.SuiteY," in source, "SuiteX" in source) == (
        True,
        True,
        False,
    )

"""Which Go files a build leaves out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.judges.suites.go_toolchain import GoToolchain, excluded

GO = GoToolchain(root="/go", tools="/go/pkg/tool/linux_amd64", version="1.22.1")


@pytest.mark.parametrize(
    ("path", "left_out"),
    [
        ("a.go", False),
        ("a_linux.go", False),
        ("a_windows.go", True),
        ("a_windows_test.go", True),
        ("a_linux_amd64.go", False),
        ("a_linux_arm64.go", True),
        ("windows.go", False),
        ("a_windows_b.go", False),
        ("linux_x/a_darwin.go", True),
    ],
)
def test_names(path: str, left_out: bool) -> None:
    """The end of a file's name may name a system and a machine."""
    assert excluded(path, "package a\n", GO) is left_out


@pytest.mark.parametrize(
    ("line", "left_out"),
    [
        ("linux", False),
        ("!linux", True),
        ("ignore", True),
        ("go1.18", False),
        ("go1.23", True),
        ("windows || (linux && amd64)", False),
        ("(windows || darwin) && amd64", True),
        ("!(windows || cgo)", False),
        ("((", True),
    ],
)
def test_lines(line: str, left_out: bool) -> None:
    """A constraint is an expression of tags."""
    assert excluded("a.go", f"// Copyright\n\n//go:build {line}\n\npackage a\n", GO) is left_out


def test_only_before_the_package_clause() -> None:
    """A line that looks like a constraint further down is a comment."""
    assert not excluded("a.go", "package a\n\n//go:build ignore\n", GO)


@given(st.text(alphabet="()!&|ax1. ", max_size=60))
def test_any_line(line: str) -> None:
    """No constraint makes the reader raise."""
    assert excluded("a.go", f"//go:build x{line}\npackage a\n", GO) in (True, False)

"""What a suite may import, and how the compiler is told where it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright.judges.suites import go_library
from benchwright.judges.suites.go_inside import main_source
from benchwright.judges.suites.go_library import Library, is_public, prepare_library, provide
from benchwright.judges.suites.go_toolchain import GoToolchain
from kit.go_needs import need_go

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


def test_config_of_what_is_there(tmp_path: Path) -> None:
    """A link is told of the packages that were compiled, not of those that could be, nor of old harnesses."""
    for name in ("fmt", "net/http", "bwharness-0"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.a").touch()
    packages = frozenset({"fmt", "net/http", "os"})
    library = Library(folder=str(tmp_path), packages=packages, harness="bwharness-1")

    assert [line.split("=")[0] for line in library.config().splitlines()] == [
        "packagefile bwharness",
        "packagefile fmt",
        "packagefile net/http",
    ]


def test_only_what_is_absent_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports come before what needs them; what is there, and what Go does not have, is not asked for."""
    asked: list[list[str]] = []

    def compiled(_toolchain: GoToolchain, _folder: Path, names: list[str]) -> list[tuple[str, Path]]:
        asked.append(names)
        made = [(name, tmp_path / f"made-{name}") for name in ("io", "os")]
        for _, archive in made:
            archive.write_text("archive")
        return made

    monkeypatch.setattr(go_library, "_compiled", compiled)
    (tmp_path / "fmt.a").touch()
    library = Library(folder=str(tmp_path), packages=frozenset({"fmt", "io", "os"}), harness="h")
    toolchain = GoToolchain(root="/go", tools="/go/pkg/tool/linux_amd64", version="1.27.3")
    for _ in range(2):
        provide(library, toolchain, {"fmt", "os", "github.com/a/b"})

    assert (asked, library.compiled, os.stat(tmp_path / "os.a").st_mode & 0o777) == (
        [["os"]],
        {"fmt", "io", "os"},
        0o644,
    )


def test_a_package_that_no_suite_needed_yet() -> None:
    """It is compiled with its imports when it is asked for, and is then a file beside the others."""
    toolchain = need_go()
    library = prepare_library(toolchain)
    wanted = {"container/ring", "encoding/ascii85"}
    for name in wanted:
        Path(library.folder, f"{name}.a").unlink(missing_ok=True)
    provide(library, toolchain, wanted)

    assert ((wanted | {"fmt", "testing"}) - library.compiled, "unsafe" in library.packages) == (set(), False)


def test_main_source() -> None:
    """The main package leads from a number to the entry of its suite, of those that compiled."""
    plan = {"harness": "bwharness", "entries": {"1": ("s1/a", "SuiteX"), "2": ("s2/b", "SuiteY")}}
    source = main_source(plan, ["2"])

    assert ('import s2 "s2/b"' in source, "\t\t2: s2.SuiteY," in source, "SuiteX" in source) == (
        True,
        True,
        False,
    )

"""Whether a project builds: yes, no with the first reason, or not tried and why."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.judges.suites import project_builds
from benchwright.judges.suites.java_toolchain import find_toolchain as find_java
from benchwright.judges.suites.project_builds import MAX_REASON, build_project
from kit.go_needs import need_go
from kit.needs import need_ready


def _built(lang: str, files: Mapping[str, str]) -> str:
    return build_project(lang, {path: text.encode() for path, text in files.items()})


_GOOD = {"pack/__init__.py": "from pack.one import x\n", "pack/one.py": "x = 1\n"}


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(
    ("files", "state"),
    [
        (_GOOD, "yes"),
        ({f"src/{path}": text for path, text in _GOOD.items()}, "yes"),
        ({"alone.py": "import json\n", "setup.py": "raise SystemExit(1)\n"}, "yes"),
        ({"pack/__init__.py": "1 / 0\n"}, "no: pack: ZeroDivisionError: division by zero"),
        ({"pack/__init__.py": "from pack.gone import x\n"}, "no: pack needs the module pack.gone"),
        ({"pack/__init__.py": "import numpy\n"}, "not tried: pack needs the module numpy"),
        ({"README": "x", "tests/__init__.py": ""}, "not tried: no package at the top or in src"),
    ],
)
def test_python(files: dict[str, str], state: str) -> None:
    """Its packages are imported; one of somebody else's that is not there says nothing of it."""
    assert _built("Python", files) == state


@pytest.mark.usefixtures("jail")
def test_python_that_ends_the_interpreter() -> None:
    """Whatever it prints: without the importer's last word it does not build."""
    assert _built("Python", {"alone.py": "import os\nos._exit(0)\n"}).startswith("no: ")


@pytest.mark.usefixtures("jail")
def test_a_reason_is_one_short_line() -> None:
    """A message may hold anything."""
    state = _built("Python", {"alone.py": "raise ValueError('x\\x1b[31m\\n' * 500)\n"})

    assert state.startswith("no: alone: ValueError: x[31m")
    assert state.isprintable() and len(state) <= len("no: ") + MAX_REASON


@pytest.mark.usefixtures("jail")
def test_go() -> None:
    """All packages are compiled; tests are not."""
    need_go()
    good = {"go.mod": "module x\n\ngo 1.21\n", "a.go": "package a\n\nfunc F() int { return 1 }\n"}
    torn = good | {"a.go": "package a\n\nfunc F() int { return x }\n"}
    needy = good | {"a.go": 'package a\n\nimport _ "example.org/gone"\n'}

    assert _built("Go", good | {"a_test.go": "package a\n\nfunc broken( {\n"}) == "yes"
    assert _built("Go", torn) == "no: ./a.go:3:23: undefined: x"
    needs = _built("Go", needy)
    assert needs.startswith("not tried: ") and "example.org/gone" in needs
    assert _built("Go", {"a.go": "package a\n"}) == "not tried: no go.mod at the top"


@pytest.mark.usefixtures("jail")
def test_java() -> None:
    """All sources beside tests are compiled together."""
    need_ready(find_java, "no Java project can be built")
    one = "package a;\n\nclass One { Two two; }\n"
    good = {"src/main/java/a/One.java": one, "src/main/java/a/Two.java": "package a;\n\nclass Two { }\n"}
    test = {"src/test/java/a/OneTest.java": "no Java at all"}

    assert _built("Java", good | test) == "yes"
    assert "cannot find symbol" in _built("Java", {"src/main/java/a/One.java": one})
    needy = {"One.java": "import org.gone.Thing;\n\nclass One { Thing thing; }\n"}
    assert _built("Java", needy) == "not tried: it needs the package org.gone"
    assert _built("Java", test) == "not tried: no Java sources except tests"


def test_a_missing_toolchain_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what is missing."""

    def missing() -> None:
        raise PrerequisiteError("there is no Go")

    monkeypatch.setattr(project_builds.go_toolchain, "find_toolchain", missing)

    assert _built("Go", {"go.mod": "module x\n"}) == "not tried: there is no Go"

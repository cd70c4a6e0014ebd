"""The public API changes only on purpose; it is small to install and cheap to import."""

from __future__ import annotations

import difflib
import subprocess
import sys
import tomllib
from pathlib import Path

from tools.public_api import COMMAND, FILE, public_api

ROOT = Path(__file__).parents[2]
MOST_PACKAGES = 16
MOST_IMPORT_S = 0.030
TRIES = 7
_CPU = "import resource; u = resource.getrusage(resource.RUSAGE_SELF); print(u.ru_utime + u.ru_stime)"


def test_the_public_api_is_as_recorded() -> None:
    """Names, signatures, attributes and bases; a change needs the golden file and a changelog fragment."""
    recorded, now = FILE.read_text(encoding="utf-8"), public_api()
    changes = difflib.unified_diff(
        recorded.splitlines(), now.splitlines(), "recorded", "now", lineterm="", n=2
    )
    hint = f"If the change is wanted, store it and add a changelog fragment:\n    {COMMAND}"

    assert recorded == now, "the public API has changed:\n" + "\n".join(changes) + f"\n{hint}"


def test_the_text_has_signatures_attributes_and_bases() -> None:
    """So a removed argument, another default, a new attribute or another base class changes it."""
    text = public_api()

    for line in (
        "    *, temperature: 'float | None' = None\n",
        "class RunError(BenchwrightError)\n    message: 'str'\n",
        "    .scores: Scores\n",
        "    *, mutants_tried: 'int' = 12\n",
        "    passed = 'passed'\n",
    ):
        assert line in text, line


def cpu_s(program: str) -> float:
    """Processor seconds of a fresh interpreter that runs a program, in its first line of output."""
    done = subprocess.run(
        [sys.executable, "-c", f"{program}\n{_CPU}"], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def test_an_import_is_cheap() -> None:
    """At most 30 ms of processor time beyond that of Python itself: the least of several, taken in turn."""
    pairs = [(cpu_s("pass"), cpu_s("import benchwright")) for _ in range(TRIES)]
    bare, imported = (min(each) for each in zip(*pairs, strict=True))

    assert imported - bare <= MOST_IMPORT_S


def test_a_core_installation_is_small() -> None:
    """The package and everything it requires, by the lock."""
    packages = {
        each["name"]: each for each in tomllib.loads((ROOT / "uv.lock").read_text("utf-8"))["package"]
    }
    waiting, found = ["benchwright"], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            needed = packages[name].get("dependencies", [])
            waiting += [each["name"] for each in needed if "win32" not in each.get("marker", "")]

    assert 5 < len(found) <= MOST_PACKAGES, sorted(found)

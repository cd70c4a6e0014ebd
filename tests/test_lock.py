"""The lock names what the project asks for: a clone that it does not fit cannot run any command."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
_NAME = re.compile(r"[A-Za-z0-9._-]+")


def read(name: str) -> dict[str, Any]:
    """A file of the project."""
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def asked_for(requirements: list[str]) -> set[tuple[str, str]]:
    """The name and the versions of each requirement."""
    pairs = ((_NAME.match(each), each) for each in requirements)
    return {(found.group(), each[found.end() :]) for found, each in pairs if found}


def locked(entries: list[dict[str, Any]], extra: str | None = None) -> set[tuple[str, str]]:
    """The same of the lock's entries, those of an extra or those without a condition."""
    wanted = f"extra == '{extra}'" if extra else None
    return {
        (each["name"], _extras(each) + each.get("specifier", ""))
        for each in entries
        if each.get("marker") == wanted
    }


def _extras(entry: dict[str, Any]) -> str:
    """As a requirement writes them: `[binary]`."""
    return f"[{','.join(entry['extras'])}]" if entry.get("extras") else ""


def _names(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Pairs as the lock has them, which gives no version for members of the workspace."""
    return {(name, "" if name.startswith("benchwright-") else versions) for name, versions in pairs}


def _expanded(requirements: list[str], extras: dict[str, list[str]]) -> list[str]:
    """Requirements, with those of the extras of this project in place of `benchwright[…]`."""
    found = [(each, re.fullmatch(r"benchwright\[(.*)\]", each)) for each in requirements]
    own = [name for _, match in found if match for name in match.group(1).split(",")]
    return [*(each for each, match in found if not match), *(each for name in own for each in extras[name])]


def test_the_lock_names_every_requirement() -> None:
    """Those of the package, of each extra and of the development group, with the versions asked for."""
    project = read("pyproject.toml")
    (own,) = (each for each in read("uv.lock")["package"] if each["name"] == project["project"]["name"])
    required = own["metadata"]["requires-dist"]

    assert locked(required) == asked_for(project["project"]["dependencies"])
    extras = project["project"]["optional-dependencies"]
    for extra, wanted in extras.items():
        assert _names(locked(required, extra)) == _names(asked_for(_expanded(wanted, extras))), extra
    for group, wanted in project["dependency-groups"].items():
        assert locked(own["metadata"]["requires-dev"][group]) == asked_for(wanted), group

"""Regular expressions of the package are ones that every supported Python reads alike."""

from __future__ import annotations

import re
from pathlib import Path

import benchwright

SOURCES = Path(benchwright.__file__).parent
POSSESSIVE_GROUP = re.compile(r"\)[*+?]\+|\)\{[0-9,]+\}\+|\(\?>")


def test_no_group_is_possessive() -> None:
    """Before Python 3.11.5 such a group stops at its first part that could give something back (gh-106052):
    triple-quoted strings ended at their first line, say. Classes of characters may be possessive."""
    found = [
        f"{path.relative_to(SOURCES)}:{number}"
        for path in sorted(SOURCES.rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if "re.compile" in line and POSSESSIVE_GROUP.search(line)
    ]

    assert found == []

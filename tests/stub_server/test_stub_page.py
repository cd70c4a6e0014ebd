"""The guide to the stub server names all that it can do."""

from __future__ import annotations

import re
from pathlib import Path

from benchwright.stub_server.behaviour import KINDS, Fault, read_faults

PAGE = (Path(__file__).parents[2] / "docs" / "stub-server.md").read_text()


def test_every_fault_is_on_the_page() -> None:
    """And the page names no fault that is not there."""
    table = PAGE[PAGE.index("| fault |") : PAGE.index("**When.**")]
    first_cells = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    named = {name for cell in first_cells for name in re.findall(r"`([^`]+)`", cell)}

    assert named == set(KINDS)


def test_every_setting_is_on_the_page() -> None:
    """Each field of a fault appears as it is written."""
    missing = [name for name in Fault.__struct_fields__[1:] if f"`{name}" not in PAGE]

    assert missing == []


def test_every_example_of_a_fault_can_be_read() -> None:
    """What can be pasted is valid."""
    examples = re.findall(r"--fault (\S+)", PAGE) + re.findall(r"`(500:[^`]+)`", PAGE)

    assert len(read_faults(examples)) == 3

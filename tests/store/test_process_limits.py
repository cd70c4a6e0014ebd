"""Limits are lowered, never raised."""

from __future__ import annotations

import pytest

from kit.processes import said_under

PROGRAM = """
import resource
from benchwright.store.process_limits import lower
said = lower(resource.RLIMIT_FSIZE, {value})
print(said, resource.getrlimit(resource.RLIMIT_FSIZE) == (said, said))
"""


@pytest.mark.parametrize(
    ("allowed", "value", "became"),
    [
        ("unlimited", 1 << 20, 1 << 20),
        ("4", 1 << 20, 4 * 512),
        ("4", 512, 512),
        ("0", 7, 0),
        ("4", 2048, 2048),
    ],
)
def test_the_lower_one_holds(allowed: str, value: int, became: int) -> None:
    """The lower of the requested and the user's limit applies, for soft and hard limits."""
    assert said_under(f"ulimit -f {allowed}", PROGRAM.format(value=value)) == f"{became} True"

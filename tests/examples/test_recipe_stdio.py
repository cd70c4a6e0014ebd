"""The recipe of the track stdio: programs that read stdin, with stored answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kit.recipes import run_recipe


@pytest.mark.usefixtures("jail")
def test_programs_are_judged_by_their_output(tmp_path: Path) -> None:
    """The first program passes; the second prints the sum of the first case only."""
    first, second = run_recipe("stdio_programs.py", cwd=tmp_path).splitlines()

    assert first.startswith("sum 0 passed")
    assert second.startswith("sum 1 wrong")

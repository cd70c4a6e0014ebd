"""A skip for want of a tool is a skip by default, and a failure where everything is required."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kit.needs import PUBLISHED, need_data

HERE = Path(__file__).parent
SAMPLES = {
    "missing": 'from kit.needs import need\n\ndef test_it():\n    need("no-such-program", "compiles")\n',
    "module": 'import pytest\n\npytest.importorskip("no_such_module_anywhere")\n',
    "profile": 'import pytest\n\ndef test_it():\n    pytest.skip("no program of the profile torch can be run: …")\n',
    "allowed": 'import pytest\n\ndef test_it():\n    pytest.skip("only root can do this")\n',
    "expected": "import pytest\n\n@pytest.mark.xfail\ndef test_it():\n    assert False\n",
    "fine": "def test_it():\n    assert True\n",
}


def outcomes(folder: Path, *, required: str, optional: str = "") -> tuple[dict[str, str], str]:
    """Run the samples beside this project's conftest: how each ended, and all that was said."""
    shutil.copy(HERE / "conftest.py", folder)
    (folder / "kit").mkdir()
    for name in ("examples.py", "forked_tests.py", "needs.py", "seconds.py", "sharing.py", "two_passes.py"):
        shutil.copy(HERE / "kit" / name, folder / "kit")
    for name, source in SAMPLES.items():
        (folder / f"test_{name}.py").write_text(source)
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"]
    env = {**os.environ, "BENCHWRIGHT_REQUIRE_ALL": required, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    env["BENCHWRIGHT_REQUIRE_PROFILES"] = optional
    env.pop("PYTEST_ADDOPTS", None)
    done = subprocess.run(
        [*command, "--continue-on-collection-errors", "."],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    ended = re.findall(r"^([A-Z]+) .*?\btest_(\w+)\.py", done.stdout, re.MULTILINE)
    return {name: how for how, name in ended}, done.stdout


def test_a_missing_tool_is_a_skip_by_default(tmp_path: Path) -> None:
    """Nothing fails for want of a tool, and the summary names the tool and what it is for."""
    ended, said = outcomes(tmp_path, required="")

    assert (set(ended.values()), "no-such-program is not installed, which compiles" in said) == (
        {"SKIPPED", "XFAIL", "PASSED"},
        True,
    )


def test_a_missing_tool_is_a_failure_where_everything_is_required(tmp_path: Path) -> None:
    """A test or a whole file that is skipped for want of a tool fails; a skip with an allowed reason stays."""
    ended, _ = outcomes(tmp_path, required="1")

    assert ended == {
        "missing": "FAILED",
        "module": "ERROR",
        "profile": "SKIPPED",
        "allowed": "SKIPPED",
        "expected": "XFAIL",
        "fine": "PASSED",
    }


def test_what_is_optional_is_required_where_it_could_be_installed(tmp_path: Path) -> None:
    """Elsewhere an index that does not answer would fail the run."""
    ended, _ = outcomes(tmp_path, required="1", optional="1")

    assert (ended["profile"], ended["allowed"]) == ("FAILED", "SKIPPED")


def test_data_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The skip says what is missing, where it is to be had, and which variable points to it; with it, it is read."""
    monkeypatch.setenv("BENCHWRIGHT_TEST_DATA", str(tmp_path))
    for name, where in PUBLISHED.items():
        with pytest.raises(pytest.skip.Exception) as caught:
            need_data(name)
        said = str(caught.value)
        assert (name in said, where in said, "BENCHWRIGHT_TEST_DATA" in said) == (True, True, True)

        (tmp_path / name).touch()
        assert need_data(name) == tmp_path / name

"""The floor executes the data set's own solutions, and refuses all other programs."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

from benchmarks.dataset import Row, Sample, canonical_samples, write_lines
from benchmarks.environment import DRIVERS

ROW = Row(
    task_id="Example/0",
    prompt="def double(x):\n",
    entry_point="double",
    canonical_solution="    return x * 2\n",
    test="def check(candidate):\n    assert candidate(2) == 4\n",
)


@pytest.fixture
def driver() -> ModuleType:
    """The driver, which is a program and no module of a package."""
    spec = importlib.util.spec_from_file_location("floor_driver", DRIVERS / "floor_driver.py")
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def floor(
    driver: ModuleType, rows: list[Row], samples: list[Sample], folder: Path
) -> list[dict[str, object]]:
    """The rows that the driver writes."""
    given = ["--problems", str(write_lines(folder / "problems.jsonl", rows))]
    given += ["--samples", str(write_lines(folder / "samples.jsonl", samples)), "--out", str(folder / "out")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["floor_driver", *given])
        driver.main()
    return [json.loads(line) for line in (folder / "out").read_text().splitlines()]


def test_each_sample_of_the_canonical_solutions_is_executed(driver: ModuleType, tmp_path: Path) -> None:
    """A row each; and the tests are executed: a solution that fails them ends the process."""
    passed = {"task_id": "Example/0", "passed": True}

    assert floor(driver, [ROW], canonical_samples([ROW], 3), tmp_path) == [passed] * 3

    (tmp_path / "wrong").mkdir()
    wrong = Row(
        **{name: getattr(ROW, name) for name in ROW.__struct_fields__} | {"test": ROW.test + "    1 / 0\n"}
    )
    with pytest.raises(ZeroDivisionError):
        floor(driver, [wrong], canonical_samples([wrong], 1), tmp_path / "wrong")


@pytest.mark.parametrize(
    "completion",
    [
        "    return x + x\n",
        "    return x * 2\n    # sample 1\nopen('damage', 'w')\n",
        "    return x * 2 + len(open('damage', 'w').name)\n    # sample 1\n",
        "    return x * 2\n    # sample 1; open('damage', 'w')\n",
        "",
    ],
)
def test_any_other_program_is_refused(
    completion: str, driver: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the first execution: nothing that a model could have written runs without a sandbox."""
    monkeypatch.chdir(tmp_path)
    samples = [*canonical_samples([ROW], 1), Sample(task_id="Example/0", completion=completion)]
    with pytest.raises(SystemExit, match="Example/0: not its canonical solution"):
        floor(driver, [ROW], samples, tmp_path)

    assert (tmp_path / "out").read_text() == "" and not (tmp_path / "damage").exists()

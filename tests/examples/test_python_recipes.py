"""Each recipe is at most twenty lines, stands in docs/recipes.md, and runs as a user would run it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import benchwright as bw
from benchwright.stub_server import Script, StubServer
from kit.needs import need_module
from kit.recipes import RECIPES, run_recipe, write_humaneval
from kit.small_data import ANSWERS, gold_of, name_of

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "recipes.md").read_text("utf-8")
MAX_LINES = 20
NOTEBOOK = RECIPES / "compare_models.ipynb"


@pytest.mark.parametrize("path", sorted(RECIPES.glob("*.py")), ids=lambda path: path.stem)
def test_a_recipe_is_short_and_documented(path: Path) -> None:
    """The page shows the file that the tests execute."""
    text = path.read_text("utf-8")

    assert len(text.splitlines()) <= MAX_LINES
    assert f"```py\n{text}```\n" in PAGE


def test_the_notebook_is_short_and_documented() -> None:
    """All of its code together; it is stored without outputs."""
    cells = [each for each in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if each["cell_type"] == "code"]
    code = ["".join(each["source"]) for each in cells]

    assert len("\n".join(code).splitlines()) <= MAX_LINES
    assert [each for each in code if each not in PAGE] == []
    assert [each["outputs"] for each in cells] == [[]] * len(cells)


@pytest.mark.usefixtures("jail")
def test_a_served_model_is_scored_and_its_failures_are_a_table(tmp_path: Path) -> None:
    """Two of three answers are right; the second recipe reads the run of the first."""
    need_module("pandas")
    write_humaneval(tmp_path)
    texts = {f"def {name_of(number)}(": f"    return {gold_of(number)}\n" for number in (0, 1)}
    texts[f"def {name_of(2)}("] = "    return None\n"
    with StubServer(Script.of(texts)) as server:
        scored = run_recipe("served_model.py", server.base_url, cwd=tmp_path)
    shown = run_recipe("failures_as_dataframe.py", cwd=tmp_path)

    assert "pass@1 0.667 (" in scored and "3 tasks)" in scored and "missing: 0" in scored
    assert "HumanEval/2" in shown and "HumanEval/0" not in shown
    assert len((tmp_path / "failures.csv").read_text().splitlines()) >= 2


@pytest.mark.usefixtures("jail")
def test_rewards_are_means_of_verdicts(tmp_path: Path) -> None:
    """One line for each step; each completion has a reward. The copy has smaller steps than the recipe."""
    text = (RECIPES / "reward_loop.py").read_text("utf-8")
    assert text.count("STEP = 1_000 ") == 1
    recipe = tmp_path / "reward_loop.py"
    recipe.write_text(text.replace("STEP = 1_000 ", "STEP = 40 "))
    write_humaneval(tmp_path)
    right, wrong = ANSWERS["passed"], ANSWERS["wrong"]
    rows = [
        {
            "task_id": f"HumanEval/{number % 3}",
            "completion": (right if number % 4 else wrong).replace("{gold}", gold_of(number % 3)),
        }
        for number in range(48)
    ]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    printed = run_recipe(str(recipe), cwd=tmp_path).splitlines()

    assert printed == ["step 0: mean reward 0.750 of 40", "step 1: mean reward 0.750 of 8"]


@pytest.mark.usefixtures("jail")
def test_the_notebook_shows_runs_and_their_comparison(tmp_path: Path) -> None:
    """Executed by nbconvert in a kernel of its own: tables with intervals, and no error."""
    need_module("nbconvert")
    need_module("ipykernel")
    data = write_humaneval(tmp_path)
    bw.run("humaneval", data=data, model="stub:", out=tmp_path / "runs/small", workers=1)
    bw.run("humaneval", data=data, model="gold:", out=tmp_path / "runs/large", workers=1)
    (tmp_path / NOTEBOOK.name).write_bytes(NOTEBOOK.read_bytes())
    command = [sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--output", "done"]
    done = subprocess.run(
        [*command, NOTEBOOK.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr

    cells = json.loads((tmp_path / "done.ipynb").read_text("utf-8"))["cells"]
    pages = [
        "".join(output["data"].get("text/html", ""))
        for cell in cells
        for output in cell.get("outputs", ())
        if "data" in output
    ]
    assert [page.count("<table>") for page in pages[:3]] == [1, 1, 1]
    assert all("<th scope='col'>tasks</th>" in page for page in pages[:3])


@pytest.mark.usefixtures("jail")
def test_an_audit_lists_findings_with_evidence(tmp_path: Path) -> None:
    """A task whose test accepts a stub is listed with its code."""
    weak = "def check(candidate):\n    assert candidate(7) == candidate(7)\n"
    write_humaneval(tmp_path, tasks=2, test=weak)

    printed = run_recipe("audit_data.py", cwd=tmp_path)

    assert "HumanEval/0: stub_passes:" in printed
    assert Path(tmp_path / printed.splitlines()[-1]).is_file()

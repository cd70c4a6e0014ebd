"""The recipe of prompts and models: a run for each pair, a ranking and one page."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchwright as bw
from benchwright.stub_server import Script, StubServer
from kit.recipes import run_recipe
from kit.small_data import write

ROWS = [
    {
        "id": f"even-{number}",
        "prompt": f"Is {number} even? Answer yes or no.",
        "labels": ["yes", "no"],
        "label": label,
    }
    for number, label in ((2, "yes"), (3, "no"), (8, "yes"))
]


@pytest.mark.usefixtures("jail")
def test_two_prompts_and_two_models_give_four_runs(tmp_path: Path) -> None:
    """Each run has asked with its prompt; the page is written."""
    write(tmp_path / "tasks.jsonl", ROWS)
    with StubServer(Script.of({"even?": "yes"})) as server:
        printed = run_recipe("prompt_matrix.py", server.base_url, cwd=tmp_path).splitlines()
    runs = sorted((tmp_path / "runs").iterdir())

    assert [each.name for each in runs] == ["large-long", "large-short", "small-long", "small-short"]
    assert [len(list(bw.open_run(each).answers)) for each in runs] == [3] * 4
    assert (tmp_path / printed[-1]).is_file()

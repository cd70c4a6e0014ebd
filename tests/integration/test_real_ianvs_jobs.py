"""Ianvs itself and `ianvs run` in its default mode over the same jobs: equal cells, ranks and rows.

Needs the environment of setup_ianvs.sh, as test_real_ianvs.py does.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from test_real_ianvs import HOME, OPENAI, TRANSFORMERS, ianvs, installed, ours, pytestmark, rows

from kit.ianvs_jobs import JOBS
from kit.made_ianvs import write, write_lines, write_yaml

__all__ = ["installed", "pytestmark", "rows"]
EXAMPLES = {  # a published example as it is: its home, the version that it runs under, its data, how it is asked
    "smart_coding/smart_coding_learning_bench/comment": ("/home/xiebo/ianvs", "v0.3.0", "smart_coding/comment"),
    "smart_coding/smart_coding_learning_bench/issue": ("/home/xiebo/ianvs", "v0.3.0", "smart_coding/issue"),
    "llm_simple_qa": ("/home/icyfeather/Projects/ianvs", "v0.3.0", "llm_simple_qa"),
    "government/singletask_learning_bench/objective": (
        "/home/icyfeather/Projects/ianvs", "v0.3.0", "government/objective"
    ),
    "government/singletask_learning_bench/subjective": (
        "/home/icyfeather/Projects/ianvs", "v0.3.0", "government/subjective"
    ),
}  # fmt: skip
WORKSPACES = ("/home/icyfeather/project/ianvs", "/root/xieb/ianvs")
MOVED = "./examples/llm/singletask_learning_bench/simple_qa"  # where llm_simple_qa once was
LETTERS = "CBBDACABAC"
# The stub's answers hang on the question, so that what is asked about shows in the figures.
ANSWERING = TRANSFORMERS.replace(
    'return messages[-1]["content"]', 'return "|".join(each["content"] for each in messages)'
).replace('return ["an answer"]', 'return ["The answer is " + "ABCD"[len(str(ids[0])) % 4]]')


@pytest.mark.parametrize("name", JOBS)
def test_made_jobs_have_equal_cells(tmp_path: Path, name: str) -> None:
    """Jobs whose figures hang on how predict and the metrics are called."""
    path = JOBS[name](tmp_path)
    theirs = ianvs(tmp_path, path.name, "main")
    for written in tmp_path.glob("log.json"):
        written.unlink()

    assert theirs == ours(tmp_path, path.name, compat="")


def data_of(folder: Path, name: str) -> None:
    """Ten small records in every form and under every name that the examples read."""
    described = {"dataset": "d", "description": "", "level_1_dim": "a", "level_2_dim": "b"}
    records: list[dict[str, Any]] = [
        {
            "query": f"q{number}" + "?" * number, "response": letter, "judge_prompt": f"{number % 5}: ",
            "question": f"q{number}" + "?" * number, "answer": letter, "level_3_dim": "", "level_4_dim": "",
        }
        for number, letter in enumerate(LETTERS)
    ]  # fmt: skip
    place = folder / "dataset" / name
    write_lines(place / "train_data" / "data.jsonl", [])
    write_yaml(place / "test_data" / "metadata.json", described)
    write_lines(place / "test_data" / "data.jsonl", records)


@pytest.mark.parametrize("example", EXAMPLES)
def test_published_examples_have_equal_cells(tmp_path: Path, example: str) -> None:
    """As they are, with the homes in them seen through; Ianvs itself needs them written anew."""
    home, version, data = EXAMPLES[example]
    stubs, folder = tmp_path / "stubs", tmp_path / "checkout"
    write(stubs, transformers_py=ANSWERING, openai_py=OPENAI)
    shutil.copytree(HOME / "ianvs-main" / "examples" / example, folder / "examples" / example)
    data_of(folder, data)
    file = f"examples/{example}/benchmarkingjob.yaml"
    maps = {home: ".", **dict.fromkeys(WORKSPACES, "."), MOVED: "./examples/llm_simple_qa"}
    options = [word for old, new in maps.items() for word in ("--path-map", f"{old}={new}")]
    mine = ours(folder, file, *options, stubs=stubs, compat="")
    for path in folder.rglob("*.yaml"):
        text = path.read_text()
        for old, new in maps.items():
            text = text.replace(old, new)
        path.write_text(text)
    theirs = ianvs(folder, file, version, stubs=stubs)

    if "llm_judgement" in mine[0]:  # a text without a score: the cell is equal, and it has no rank
        assert [row.pop("rank") for row in (*mine, *theirs)] == ["", "1"]
    assert theirs == mine

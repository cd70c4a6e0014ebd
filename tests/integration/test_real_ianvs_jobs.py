"""Ianvs itself and `ianvs run` in its default mode over the same jobs: equal cells, ranks and rows.

Needs the environment of setup_ianvs.sh, as test_real_ianvs.py does.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from ianvs_examples import EXAMPLES, Example, put, questions
from ianvs_view import changed, seen_at
from test_real_ianvs import HOME, OPENAI, TRANSFORMERS, ianvs, installed, ours, pytestmark, rows

from kit.ianvs_jobs import JOBS
from kit.made_ianvs import write

__all__ = ["installed", "pytestmark", "rows"]
MAPPED = {  # a published example as it is: its home, the version that it runs under, its data
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


@pytest.mark.parametrize("example", MAPPED)
def test_published_examples_have_equal_cells(tmp_path: Path, example: str) -> None:
    """As they are, with the homes in them seen through; Ianvs itself needs them written anew."""
    home, version, data = MAPPED[example]
    stubs, folder = tmp_path / "stubs", tmp_path / "checkout"
    write(stubs, transformers_py=ANSWERING, openai_py=OPENAI)
    shutil.copytree(HOME / "ianvs-main" / "examples" / example, folder / "examples" / example)
    questions(folder, data)
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


def _mapped(name: str) -> Example:
    """One of the above with its homes mounted instead of mapped."""
    home, version, data = MAPPED[name]
    place = MOVED if name == "llm_simple_qa" else f"examples/{name}"
    return Example(
        source=f"examples/{name}",
        place=place,
        job=f"{place}/benchmarkingjob.yaml",
        data=lambda checkout: questions(checkout, data),
        standins={"transformers.py": ANSWERING, "openai.py": OPENAI},
        version=version,
        homes=tuple(dict.fromkeys((home, *WORKSPACES))),
    )


@pytest.mark.parametrize("name", [*EXAMPLES, *MAPPED])
def test_unmodified_examples_have_equal_cells(tmp_path: Path, name: str) -> None:
    """Both run the published bytes, with the checkout mounted at the paths in the files."""
    example = EXAMPLES.get(name) or _mapped(name)
    standins, source = tmp_path / "standins", HOME / f"ianvs-{example.published}" / example.source
    for path, text in example.standins.items():
        put(standins / path, text)

    def copied(side: str) -> tuple[Path, dict[str, Any]]:
        checkout = tmp_path / side
        shutil.copytree(source, checkout / example.place)
        example.data(checkout)
        view = seen_at(checkout, example.homes, example.folder)
        return checkout, {"stubs": standins, "view": view, "variables": example.variables}

    checkout, how = copied("theirs")
    theirs = ianvs(checkout, example.job, example.version, **how)
    assert changed(source, checkout / example.place) == []
    checkout, how = copied("ours")
    mine = ours(checkout, example.job, compat="", **how)
    assert changed(source, checkout / example.place) == []

    for row in theirs:
        assert all(row.pop(column).startswith("<") for column in example.random)
    if "llm_judgement" in mine[0]:  # a text without a score: the cell is equal, and it has no rank
        assert [row.pop("rank") for row in (*mine, *theirs)] == ["", "1"]
    assert theirs == mine

"""A repository of JavaScript becomes executed, labelled rows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.building.codecorrectness.options import BuildOptions, RowBounds
from benchwright.building.codecorrectness.pipeline import build
from benchwright.executing.suite_runners import Runners
from benchwright.judges.suites.javascript import JavaScriptSuites
from kit.javascript_needs import CASES, SHORT, TOTAL, TOTAL_TEST, need_node
from kit.made_repositories import MIT, repository


@pytest.mark.usefixtures("jail")
def test_rows_of_both_labels(tmp_path: Path) -> None:
    """Each case passes as it is, and mutants of the code fail."""
    need_node()
    files = {
        "LICENSE": MIT,
        "package.json": '{"type": "module"}\n',
        "src/total.js": TOTAL,
        "test/total.test.js": TOTAL_TEST,
        "test/other.test.js": "import { test } from 'vitest';\ntest('other', () => {});\n",
    }
    repository(tmp_path / "clone", files)
    options = BuildOptions(
        sources=(str(tmp_path / "clone"),), repeat=2, bounds=RowBounds(likeness=1.0), broken=0, history=0
    )
    with Runners(lambda _: JavaScriptSuites(limits=SHORT)) as runners:
        built = build(options, tmp_path / "out", runners=runners)
    lines = Path(built.folder, "codecorrectness.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]

    assert {row["inputs"]["lang"] for row in rows} == {"JavaScript"}
    assert {row["outputs"] for row in rows} == {"success", "failed"}
    assert {row["meta"]["case"] for row in rows} <= set(CASES)
    assert all(row["meta"]["runs"] == 2 and row["meta"]["pass_rate"] in (0.0, 1.0) for row in rows)
    assert all(row["inputs"]["test_code"].count("assert.") == 1 for row in rows)

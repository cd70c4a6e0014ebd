"""The new hunk in an answer, and answers that write something else."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Extraction
from benchwright.records import SOLUTION, Answer, Outcome, Task
from benchwright.tracks.refine.answers import fenced
from benchwright.tracks.refine.track import TRACK
from kit.smartcoding_rows import REFINE_CODE, refine_row

NEW: str = refine_row()["reference"]
FIXED = REFINE_CODE.replace("== None", "is None")


def _task(tmp_path: Path, **fields: Any) -> Task:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(refine_row(**fields)) + "\n")
    (task,) = TRACK.load(path)
    return task


def _take(tmp_path: Path, text: str, **fields: Any) -> Extraction:
    answer = Answer(key="k", task_id="none", sample=0, model="m", text=text, **fields)
    return TRACK.extract(_task(tmp_path), answer, profile="strict")


def _diff(before: str, after: str, *, context: int = 3) -> str:
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), "a/sums.py", "b/sums.py", n=context, lineterm=""
    )
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"```python\n{NEW}\n```", "fence"),
        (f"```\n{NEW}\n```\nI used `is`.", "fence"),
        (NEW, "text"),
        (f"{NEW}\n```\n", "text"),
        (f"```python\nold\n```\nbecomes\n```python\n{NEW}\n```", "fence 2 of 2"),
        (f"```python\n{NEW}\n```\nTry it:\n```sh\npytest\n```", "fence 1 of 2"),
        (f"<think>```python\nno\n```</think>\n```py\n{NEW}\n```", "reasoning+fence"),
        (f"```diff\n{_diff(REFINE_CODE, FIXED)}\n```", "diff"),
        (f"```diff\n{_diff(REFINE_CODE, FIXED, context=0)}\n```", "diff"),
        (_diff(REFINE_CODE, FIXED), "diff in text"),
        (fenced(FIXED, "Python"), "fence+lines around"),
        (f"```python\n    result = 0\n{NEW}\n        result += value\n```", "fence"),
        (f"```python\ndef total(values):\n    result = 0\n{NEW}\n```", "fence+lines around"),
    ],
)
def test_the_hunk_of_an_answer(text: str, rule: str, tmp_path: Path) -> None:
    """A block, a diff, the text, or the code with the hunk in it; a single line around the hunk is kept."""
    taken = _take(tmp_path, text)

    assert (taken.problem, taken.rule) == (None, rule)
    assert (taken.program == NEW) is ("    result = 0" not in taken.program)


@pytest.mark.parametrize(
    ("text", "outcome", "why"),
    [
        ("", Outcome.no_code, "nothing is left"),
        (" \n", Outcome.no_code, "nothing is left"),
        ("```python\n```", Outcome.no_code, "nothing is left"),
        ("<think>What now?", Outcome.no_code, "nothing is left"),
        ("x" * (1 << 19), Outcome.no_code, "more than"),
        ("```python\n" + "x = 1\n" * 3000 + "```", Outcome.wrong, "3,000 lines in place of 3"),
        (fenced(FIXED.replace("len(values)", "max(1, len(values))"), "Python"), Outcome.wrong, "outside"),
        (fenced(FIXED.replace("result = 0", "result = 1"), "Python"), Outcome.wrong, "outside"),
        (fenced(f"{FIXED}\n{FIXED}", "Python"), Outcome.wrong, "outside"),
        (f"```diff\n{_diff(REFINE_CODE, '')}\n```", Outcome.wrong, "outside"),
        (f"```diff\n{_diff(REFINE_CODE, FIXED.replace('result', 'sum_'))}\n```", Outcome.wrong, "outside"),
        (
            "```diff\n@@ -7 +7 @@\n-        if value = None:\n+        pass\n```",
            Outcome.wrong,
            "lacks the old lines",
        ),
        ("```diff\n@@ -7 +7 @@\n*what\n```", Outcome.wrong, "begins with '*'"),
        (
            f"```diff\n{_diff(REFINE_CODE, FIXED)}\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-a\n+b\n```",
            Outcome.wrong,
            "files",
        ),
        (
            "```diff\n@@ -6,3 +6,0 @@\n-    for value in values:\n-        if value == None:\n-            continue\n```",
            Outcome.wrong,
            "writes nothing",
        ),
        (fenced(REFINE_CODE.replace(REFINE_CODE[61:137], ""), "Python"), Outcome.wrong, "outside"),
    ],
)
def test_an_answer_that_is_no_hunk(text: str, outcome: Outcome, why: str, tmp_path: Path) -> None:
    """Empty answers, too much text, an empty file, or changes to other lines."""
    taken = _take(tmp_path, text)

    assert (taken.problem, taken.program) == (outcome, "") and why in taken.detail


def test_the_prompt_in_an_answer_is_the_hunk_as_given(tmp_path: Path) -> None:
    """Its last block shows the lines to rewrite, which never pass."""
    prompt = TRACK.questions(_task(tmp_path), language="en", form="chat")[0].text
    taken = _take(tmp_path, prompt)

    assert taken.program == "\n".join(REFINE_CODE.split("\n")[5:8])


def test_a_prompt_before_the_new_lines_changes_nothing(tmp_path: Path) -> None:
    """The last block counts."""
    prompt = TRACK.questions(_task(tmp_path), language="en", form="chat")[0].text

    assert _take(tmp_path, f"{prompt}\n\n```python\n{NEW}\n```").program == NEW


def test_a_stored_solution_is_taken_whole(tmp_path: Path) -> None:
    """Blocks in it are ignored."""
    assert _take(tmp_path, NEW, form=SOLUTION).rule == "solution"


def test_a_truncated_answer_is_noted(tmp_path: Path) -> None:
    """By the server's finish reason."""
    assert _take(tmp_path, f"```python\n{NEW}", finish_reason="length").truncated


def test_an_empty_file_is_wrong(tmp_path: Path) -> None:
    """It has all lines around the hunk, and none in its place."""
    lines = REFINE_CODE.split("\n")
    taken = _take(tmp_path, fenced("\n".join(lines[:5] + lines[8:]), "Python"))

    assert taken.problem == Outcome.wrong and "in its place" in taken.detail.replace("their", "its")

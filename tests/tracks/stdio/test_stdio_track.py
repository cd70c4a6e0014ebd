"""The track of programs: extraction from answers, prompts, and the spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import UsageError
from benchwright.records import SOLUTION, Answer, Outcome, Task
from benchwright.tracks.stdio.track import TRACK
from kit.stdio_rows import own_row


def _task(tmp_path: Path, **fields: Any) -> Task:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(own_row(**fields)) + "\n")
    (task,) = TRACK.load(path)
    return task


def _answer(text: str, **fields: Any) -> Answer:
    return Answer(key="k", task_id="sum", sample=0, model="m", text=text, **fields)


@pytest.mark.parametrize(
    ("text", "program", "rule"),
    [
        ("```python\na\n```", "a", "fence"),
        ("```\na\n```\nthen\n```py\nb\n```", "b", "fence"),
        ("```python\na\n```\nfor example\n```\n3\n```", "a", "fence"),
        ("<think>```python\nno\n```</think>```python\na\n```", "a", "fence"),
        ("print(1)", "print(1)", "text"),
    ],
)
def test_the_program_of_an_answer(text: str, program: str, rule: str, tmp_path: Path) -> None:
    """The last block of the language counts, then one without a tag, then the whole text."""
    taken = TRACK.extract(_task(tmp_path), _answer(text), profile="strict")

    assert (program, rule, None) == (taken.program.strip(), taken.rule, taken.problem)


@pytest.mark.parametrize("text", ["", "```cpp\nint main() {}\n```", "<think>print(1)"])
def test_an_answer_without_a_program(text: str, tmp_path: Path) -> None:
    """An empty answer, only a block of another language, or unfinished reasoning."""
    assert Outcome.no_code == TRACK.extract(_task(tmp_path), _answer(text), profile="strict").problem


def test_a_stored_solution_is_taken_whole(tmp_path: Path) -> None:
    """Fences in it are ignored."""
    text = 's = """\n```python\nno\n```\n"""\n'

    assert text == TRACK.extract(_task(tmp_path), _answer(text, form=SOLUTION), profile="strict").program


def test_a_form_is_the_language_of_all_answers(tmp_path: Path) -> None:
    """By default each row names its language."""
    task = _task(tmp_path, lang="js")
    langs = [TRACK.in_form(form).spec(task, profile="strict").lang for form in ("row", "C++")]

    assert langs == ["JavaScript", "C++"]


def test_an_unknown_form_is_an_error() -> None:
    """All languages are listed."""
    with pytest.raises(UsageError) as caught:
        TRACK.in_form("COBOL")

    assert "Rust" in (caught.value.hint or "")


def test_a_prompt_shows_the_statement_and_the_starter_code(tmp_path: Path) -> None:
    """It also names the language of the answer."""
    task = _task(tmp_path, starter="import sys", lang="Rust")
    texts = [each.text for each in TRACK.questions(task, language="en", form="chat")]

    assert all(part in text for text in texts for part in (task.instruction, "import sys", "Rust")) and texts

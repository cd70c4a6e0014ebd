"""Rows of MultiPL-E: the head of a function in another language, and tests that follow it in the same file.

Row: {name, language, prompt, tests, stop_tokens}; other keys are kept in `Task.meta`. MultiPL-E has no
solutions; if a row has a `canonical_solution`, a completion of its prompt, the self-check uses it.
Format: https://github.com/nuprl/MultiPL-E.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.multipl.forms import LanguageForm, Parts, UnknownShape
from benchwright.tracks.multipl.go import GO
from benchwright.tracks.multipl.java import JAVA
from benchwright.tracks.rows import Fields
from benchwright.tracks.signature import MAX_SOURCE

FORMS: Mapping[str, LanguageForm] = {
    "go_test.go": GO,
    "go": GO,
    "java": JAVA,
}  # by name of the language in rows
MAX_TESTS = 1 << 20
_OWN = frozenset({"name", "language", "prompt", "tests", "stop_tokens"})


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields = fields.named(fields.identity("name"))
    language = fields.text("language", limit=50)
    if language not in FORMS:
        hint = f"supported languages: {', '.join(FORMS)}"
        raise fields.error(f"answers in {language!r} cannot be judged", field="language", hint=hint)
    prompt = fields.text("prompt", limit=MAX_SOURCE)
    tests = fields.text("tests", limit=MAX_TESTS)
    try:
        parts = FORMS[language].read(prompt, tests)
    except UnknownShape as error:
        raise fields.error(str(error), field=error.field) from None
    return Task(
        task_id=fields.task_id or "",
        instruction="",
        inputs={"function": prompt, "tests": tests},
        outputs=None,
        meta={
            **{key: value for key, value in fields.data.items() if key not in _OWN},
            "language": language,
            "stop_tokens": _stops(fields),
            "entry_point": parts.name,
        },
        revision=content_key("multipl", language, prompt, tests),
        origin=f"{fields.path}:{fields.line}",
    )


def form_of(task: Task) -> LanguageForm:
    """The implementation for the task's language."""
    return FORMS[task.meta["language"]]


def parts_of(task: Task) -> Parts:
    """The parts of a loaded task's prompt and tests."""
    return form_of(task).read(task.inputs["function"], task.inputs["tests"])


def to_row(task: Task) -> dict[str, Any]:
    """The row of a task."""
    rest = {key: value for key, value in task.meta.items() if key != "entry_point"}
    inputs = {"prompt": task.inputs["function"], "tests": task.inputs["tests"]}
    return {"name": task.task_id, **inputs, **rest}


def _stops(fields: Fields) -> list[str]:
    stops = fields.data.get("stop_tokens", [])
    if not isinstance(stops, list) or not all(isinstance(each, str) and each for each in stops):
        hint = 'write it as "stop_tokens": ["\\nfunc"]'
        raise fields.error("must be a list of texts", field="stop_tokens", hint=hint)
    return stops

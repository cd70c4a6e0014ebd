"""Rows of JavaTestGen in MERA's format.

Row: {instruction, inputs: {class_name, test_class_name, code}, outputs, meta: {id, fn_test, source_code,
repo, base_commit, …}}; `outputs` holds no answer. Rows of others may have `meta.canonical_test`, a
test class that passes. Format: https://github.com/MERA-Evaluation/MERA_CODE.
"""

from __future__ import annotations

from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.rows import Fields, check_shown, instruction_of, open_mera, optional_text, with_extra

MAX_CODE = 1 << 18
MAX_NAME = 200
CANONICAL = "canonical_test"


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    code = inputs.text("code", limit=MAX_CODE)
    if not code.strip():
        raise inputs.error("is empty", field="code", hint="a row needs a Java class")
    for name in ("class_name", "test_class_name"):
        inputs.identifier(name)
    _check_meta(meta)
    _check_outputs(fields)
    instruction = instruction_of(fields, limit=MAX_CODE)
    check_shown(fields, instruction, inputs, "code")
    canonical = optional_text(meta, CANONICAL, limit=MAX_CODE)
    names = [inputs.data["class_name"], inputs.data["test_class_name"]]
    source = optional_text(meta, "source_code", limit=MAX_CODE)
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=fields.data.get("outputs"),
        meta=with_extra(fields, meta),
        revision=content_key("javatestgen", code, names, source, canonical, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def _check_meta(meta: Fields) -> None:
    path = optional_text(meta, "fn_test", limit=4 * MAX_NAME)
    if path and (path.startswith("/") or not path.endswith(".java") or ".." in path.split("/")):
        hint = "write the test's path in the project: src/test/java/pkg/NameTest.java"
        raise meta.error("is not the path of a Java file in a project", field="fn_test", hint=hint)
    for name in ("repo", "base_commit", "image_name", "test_command"):
        optional_text(meta, name, limit=1 << 12)


def _check_outputs(fields: Fields) -> None:
    given = fields.data.get("outputs")
    if given in (None, "") or (isinstance(given, list) and all(isinstance(each, str) for each in given)):
        return
    raise fields.error("must be a list of texts", field="outputs", hint='write "outputs": []')


def source_of(task: Task) -> str:
    """The class under test: that of the repository if the row has it, else the one that a model sees."""
    return str(task.meta.get("source_code") or task.inputs["code"])

"""Rows of RealCode and RealCodeJava in MERA's format.

Row: {instruction, inputs: {left_context}, outputs, meta: {id, repo, base_commit, gt, left_context,
right_context, fn or file_path, build_command, test_command, image_name, PASS_TO_PASS, FAIL_TO_PASS, intent,
intent_type}}; Java has `stub` too. Format: https://github.com/MERA-Evaluation/MERA_CODE. Build and test
commands are not executed: tests run in suites (`judges.repositories`).
"""

from __future__ import annotations

from typing import Any

from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.realcode.clones import is_commit, is_repository
from benchwright.tracks.rows import Fields, check_shown, instruction_of, open_mera, optional_text, with_extra

MAX_CONTEXT = 1 << 20
MAX_NAME = 1000
MOST_TESTS = 20_000
_NOT_CODE = ("image_name", "build_command", "test_command", "intent_type")


def read_repository_task(fields: Fields, *, kind: str, path: str, stub: bool) -> Task:
    """Read a task from a row; `path` names the field of the file, `stub` says whether a row has one.

    Raises DataError with file, line, field and hint.
    """
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    left_context = inputs.text("left_context", limit=MAX_CONTEXT)
    if not left_context.strip():
        raise inputs.error("is empty", field="left_context", hint="a row needs the code before the body")
    if meta.text("left_context", limit=MAX_CONTEXT) != left_context:
        raise meta.error("differs from inputs.left_context", field="left_context", hint="write the same text")
    revision_parts: list[Any] = [
        left_context,
        *(meta.text(name, limit=MAX_CONTEXT) for name in ("right_context", "gt")),
    ]
    revision_parts += [meta.text("stub", limit=MAX_CONTEXT)] if stub else []
    revision_parts += [
        _repository(meta),
        _commit(meta),
        checked_path(meta, path),
        meta.text("intent", limit=MAX_NAME),
    ]
    for name in _NOT_CODE:
        optional_text(meta, name, limit=MAX_CONTEXT)
    revision_parts += [_tests(meta, "PASS_TO_PASS")]
    if not revision_parts[-1]:
        hint = "name at least one test that passes with the reference"
        raise meta.error("is empty", field="PASS_TO_PASS", hint=hint)
    _tests(meta, "FAIL_TO_PASS")
    if fields.data.get("outputs") is not None:
        fields.text("outputs", limit=MAX_CONTEXT)
    instruction = instruction_of(fields, limit=MAX_CONTEXT)
    if kind == "realcode":
        check_shown(fields, instruction, inputs, "left_context")
    elif "{left_context}" not in instruction:
        message = "does not show `left_context` to the model"
        raise fields.error(message, field="instruction", hint="add {left_context}")
    return Task(
        task_id=meta.identity("id"),
        instruction=instruction,
        inputs=inputs.data,
        outputs=fields.data.get("outputs"),
        meta=with_extra(fields, meta),
        revision=content_key(kind, *revision_parts, instruction),
        origin=f"{fields.path}:{fields.line}",
    )


def checked_path(meta: Fields, name: str) -> str:
    """A relative path of a file in the repository."""
    path = meta.text(name, limit=MAX_NAME)
    if not path or path.startswith("/") or not {"", ".", ".."}.isdisjoint(path.split("/")) or "\0" in path:
        hint = "write the path from the top of the repository: src/package/module.py"
        raise meta.error("is not a relative path", field=name, hint=hint)
    return path


def _repository(meta: Fields) -> str:
    name = meta.text("repo", limit=MAX_NAME)
    if not is_repository(name):
        raise meta.error("is not the name of a repository", field="repo", hint='write "owner/name"')
    return name


def _commit(meta: Fields) -> str:
    commit = meta.text("base_commit", limit=64)
    if not is_commit(commit):
        hint = "write the id of a commit: 7 to 64 hexadecimal digits"
        raise meta.error("is not the id of a commit", field="base_commit", hint=hint)
    return commit


def _tests(meta: Fields, name: str) -> list[str]:
    """A list of names of tests; some copies of the data set have it as a text with JSON."""
    given = meta.data.get(name, [])
    if not isinstance(given, list) or len(given) > MOST_TESTS:
        hint = 'write ["tests/test_a.py::test_b"]'
        raise meta.error(f"must be a list of at most {MOST_TESTS:,} names of tests", field=name, hint=hint)
    for at, each in enumerate(given):
        if not isinstance(each, str) or "::" not in each or len(each) > MAX_NAME:
            hint = 'write "FILE::TEST", or "package.Class::test" in Java'
            raise meta.error("is not the name of a test", field=f"{name}[{at}]", hint=hint)
    return given

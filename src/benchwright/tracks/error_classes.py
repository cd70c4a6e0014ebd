"""Error classes of CodeCorrectness rows, and the prompts that ask for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from benchwright.contracts import Question
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.text.error_class import ASSERTION, BUILD, CLASSES, EXCEPTION, SUCCESS
from benchwright.text.label_words import FAILED
from benchwright.tracks.correctness_rows import build, prompt_values
from benchwright.tracks.rows import Fields
from benchwright.tracks.wordings import questions, wordings_in

# Kinds of failure that have the same meaning in Python, Java and Go. An error of the compiler in Java and
# Go is an error of loading in Python, so they are one class. Kinds that depend on the machine (timeout,
# memory, environment) have no class.
_OF_KIND = {
    "assertion": ASSERTION,
    "exception": EXCEPTION,
    "compile": BUILD,
    "syntax": BUILD,
    "import": BUILD,
    "name": BUILD,
}
KEY = "error_class"  # of `meta`
LABEL = "_label"  # key of `Task.meta` for the row's label, which the class replaces


def error_class(label: str, kind: str) -> str:
    """The class of a row from its label and the kind of its failure; empty if it has none.

    >>> error_class("failed", "syntax"), error_class("success", ""), error_class("failed", "timeout")
    ('build', 'success', '')
    """
    return SUCCESS if label == SUCCESS else _OF_KIND.get(kind, "") if label == FAILED else ""


def build_classed(fields: Fields) -> Task:
    """Read a task with its class in `outputs`, from `meta.error_class`, else from the label and `meta.kind`.

    Raises DataError for a failing row without a class.
    """
    task = build(fields)
    meta = fields.inner("meta") if isinstance(fields.data.get("meta"), dict) else fields
    told = task.meta.get(KEY)
    if told is not None and told not in CLASSES:
        hint = f"one of: {', '.join(CLASSES)}"
        raise meta.error("is not a class of error", field=KEY, hint=hint)
    kind = task.meta.get("kind")
    found = told or error_class(task.outputs, kind if isinstance(kind, str) else "")
    if not found and task.outputs:
        hint = "for the label, leave --form out; sets of `build codecorrectness` have the class of each row"
        raise meta.error("the row does not have the class of its failure", field=KEY, hint=hint)
    if found and (found == SUCCESS) != (task.outputs == SUCCESS):
        hint = "a passing test has the class `success`, a failing test another one"
        raise meta.error(
            f"`{found}` and the label `{task.outputs}` contradict each other", field=KEY, hint=hint
        )
    return replace(
        task,
        outputs=found,
        meta={**task.meta, LABEL: task.outputs},
        revision=content_key("error class", task.revision, found),
    )


def error_questions(inputs: Mapping[str, Any], *, language: str, form: str) -> list[Question]:
    """All prompts that ask for the class of error. Raises UsageError as `correctness_questions` does."""
    wordings = wordings_in("correctness_errors", language=language, form=form)
    return questions(wordings, prompt_values(inputs), language=language)

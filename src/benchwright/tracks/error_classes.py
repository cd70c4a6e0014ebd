"""The class of error that a CodeCorrectness row ends with, and the wordings that ask for it."""

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

# Of the kinds of failure that execution tells apart, those that mean the same in Python, Java and Go. What
# a compiler refuses in two of the languages, the third one only meets as it loads: they are one class. Kinds
# that hang on the machine (timeout, memory, environment) are of none.
_OF_KIND = {
    "assertion": ASSERTION,
    "exception": EXCEPTION,
    "compile": BUILD,
    "syntax": BUILD,
    "import": BUILD,
    "name": BUILD,
}
KEY = "error_class"  # of `meta`
LABEL = "_label"  # key of `Task.meta` for the label of the row, whose place the class takes


def error_class(label: str, kind: str) -> str:
    """The class of a row from its label and the kind of its failure; empty where it is of none.

    >>> error_class("failed", "syntax"), error_class("success", ""), error_class("failed", "timeout")
    ('build', 'success', '')
    """
    return SUCCESS if label == SUCCESS else _OF_KIND.get(kind, "") if label == FAILED else ""


def build_classed(fields: Fields) -> Task:
    """The row with its class in `outputs`, from `meta.error_class`, else from the label and `meta.kind`.

    Raises DataError for a failing row that tells no class.
    """
    task = build(fields)
    meta = fields.inner("meta") if isinstance(fields.data.get("meta"), dict) else fields
    told = task.meta.get(KEY)
    if told is not None and told not in CLASSES:
        hint = f"one of: {', '.join(CLASSES)}"
        raise meta.error("is no class of error", field=KEY, hint=hint)
    kind = task.meta.get("kind")
    found = told or error_class(task.outputs, kind if isinstance(kind, str) else "")
    if not found and task.outputs:
        hint = "ask the label: leave --form out; sets of `build codecorrectness` tell the class of each row"
        raise meta.error("the row does not say how its test fails", field=KEY, hint=hint)
    if found and (found == SUCCESS) != (task.outputs == SUCCESS):
        hint = "a test that passes is of the class `success`, one that fails of another"
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
    """All variants that ask for the class of error of a pair of files. Raises as `correctness_questions`."""
    wordings = wordings_in("correctness_errors", language=language, form=form)
    return questions(wordings, prompt_values(inputs), language=language)

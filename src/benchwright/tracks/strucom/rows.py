"""Rows of StRuCom in MERA's format, and the documented function as a spec of comments.

Row: {instruction, inputs: {function}, outputs, meta: {id, language}}; `outputs` is the reference comment.
Format: https://github.com/MERA-Evaluation/MERA_CODE.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchwright.contracts import CommentSpec, DocumentationSpec
from benchwright.lang.comment_reading import read_comments
from benchwright.records import Task
from benchwright.store.keys import content_key
from benchwright.tracks.comments.rows import MAX_CODE
from benchwright.tracks.rows import Fields, open_mera, remembered, text_task
from benchwright.tracks.strucom.placing import documented, framed


class DocumentedLanguage(NamedTuple):
    """A language of the data set: its name here, and the style that MERA's prompts ask for."""

    lang: str
    style: str
    title: str


LANGUAGES: Mapping[str, DocumentedLanguage] = {
    "python": DocumentedLanguage("Python", "google", "Google"),
    "java": DocumentedLanguage("Java", "javadoc", "Javadoc"),
    "csharp": DocumentedLanguage("C#", "xml", "XML"),
    "go": DocumentedLanguage("Go", "go", "GoDoc"),
    "javascript": DocumentedLanguage("JavaScript", "jsdoc", "JSDoc"),
}


def read_task(fields: Fields) -> Task:
    """Read a task from a row. Raises DataError with file, line, field and hint."""
    fields, meta = open_mera(fields)
    inputs = fields.inner("inputs")
    function = inputs.text("function", limit=MAX_CODE)
    if not function.strip():
        raise inputs.error("is empty", field="function", hint="a row needs a function to document")
    language = meta.text("language", limit=40)
    if language not in LANGUAGES:
        raise meta.error("is unknown", field="language", hint=f"one of: {', '.join(LANGUAGES)}")
    return text_task(
        fields,
        meta,
        inputs,
        shown="function",
        limit=MAX_CODE,
        outputs_limit=MAX_CODE,
        revision=lambda outputs, instruction: content_key(
            "strucom", function, outputs, language, instruction
        ),
    )


def language_of(task: Task) -> DocumentedLanguage:
    """The programming language of a task."""
    return LANGUAGES[task.meta["language"]]


@remembered
def strict_spec(task: Task) -> DocumentationSpec:
    """The spec of judging by rules; without `comments` if the function cannot be read."""
    lang, style, _ = language_of(task)
    function, reference = task.inputs["function"], task.outputs or ""
    code = framed(function, lang)
    if fault := read_comments(code, lang).fault:
        problem = f"the function cannot be read as {lang}: {fault}"
        return DocumentationSpec(reference=reference, problem=problem)
    comment = _plain(documented(function, lang, reference), lang) if reference.strip() else ""
    comments = CommentSpec(code=code, lang=lang, style=style, language="ru", comment=comment)
    return DocumentationSpec(reference=reference, comments=comments)


def _plain(program: str, lang: str) -> str:
    """The text of the documentation in a program, without markers."""
    comments = read_comments(framed(program, lang), lang).comments
    return next((each.text for each in comments if each.kind == "doc"), "")


def plain_spec(task: Task) -> DocumentationSpec:
    """The spec of MERA's own metric."""
    return DocumentationSpec(reference=task.outputs or "", by_rules=False)

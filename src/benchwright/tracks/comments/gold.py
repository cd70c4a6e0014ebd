"""Answers of the comment track that are known without a model: one that must score, one that must not."""

from __future__ import annotations

from msgspec.structs import replace

from benchwright.contracts import Annotation, CommentSpec
from benchwright.lang.comments import first_change, read_comments
from benchwright.tracks.comments.marking import annotated, commented_code
from benchwright.tracks.wordings import fence


def commented(spec: CommentSpec) -> str | None:
    """The code with its reference comments, as an answer; None where there are none.

    A reference comment that is the commented code itself is that answer.
    """
    if not spec.annotations and not spec.comment.strip():
        return None
    whole = commented_code(spec.comment, spec.code, spec.lang)
    if whole is not None:
        return fenced(whole, spec.lang)
    program = _with_comments(spec, "")
    if first_change(read_comments(spec.code, spec.lang), read_comments(program, spec.lang)) is not None:
        program = _with_comments(spec, "- ")  # a text such as "noqa" would be a directive
    return fenced(program, spec.lang)


def _with_comments(spec: CommentSpec, before: str) -> str:
    annotations = (replace(each, text=before + each.text) for each in spec.annotations)
    program = annotated(spec.code, spec.lang, annotations)
    first = [Annotation(line=1, text=before + spec.comment)] if spec.comment.strip() else []
    return annotated(program, spec.lang, first)


def altered(spec: CommentSpec) -> str:
    """The code with one word more at its end, as an answer: at the beginning it might stand in a comment."""
    return fenced(f"{spec.code}\naltered\n", spec.lang)


def fenced(program: str, lang: str) -> str:
    """A program as a model would answer it: one block that no line of it closes."""
    ticks = fence(program)
    return f"{ticks}{lang.lower()}\n{program.removesuffix(chr(10))}\n{ticks}\n"

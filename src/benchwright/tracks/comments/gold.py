"""Gold and stub answers of the comment track: one must score, the other must fail."""

from __future__ import annotations

from msgspec.structs import replace

from benchwright.contracts import Annotation, CommentSpec
from benchwright.lang.comments import first_change, read_comments
from benchwright.tracks.comments.marking import annotated, commented_code
from benchwright.tracks.wordings import fence


def commented(spec: CommentSpec) -> str | None:
    """An answer with the code and its reference comments; None if there are none.

    A reference comment that is the commented code itself is used as the answer.
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
    """An answer with an additional word at the end of the code, where it cannot be part of a comment."""
    return fenced(f"{spec.code}\naltered\n", spec.lang)


def fenced(program: str, lang: str) -> str:
    """A program as an answer: one fenced block with a fence longer than any in the program."""
    ticks = fence(program)
    return f"{ticks}{lang.lower()}\n{program.removesuffix(chr(10))}\n{ticks}\n"

"""Commented code to judge: specs in one line, the bundled contrast set, and the judge as a worker opens it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.resources import files
from typing import Any, NamedTuple, cast

from benchwright.contracts import Annotation, CommentSpec, Extraction, Judgement
from benchwright.judges.comments.added_comments import AnsweredCode
from benchwright.judges.comments.given_code import GivenCode
from benchwright.judges.comments.judge import CommentJudge
from benchwright.judges.judge_registry import Resources
from benchwright.lang.comment_reading import read_comments
from benchwright.sandbox.box import Sandbox

ANSWERS = ("right", "paraphrase", "near_copy_wrong", "empty", "altered", "injection")


class ContrastRow(NamedTuple):
    """A task of the contrast set with its answers."""

    id: str
    spec: CommentSpec
    answers: dict[str, str]
    injected: str  # the comment that addresses the judge


def contrast_rows() -> Iterator[ContrastRow]:
    """Return all rows, in the file's order."""
    text = (files("benchwright.judges.rubric") / "contrast" / "comments.jsonl").read_text(encoding="utf-8")
    for line in text.splitlines():
        row = cast("dict[str, Any]", json.loads(line))
        annotations = [Annotation(**each) for each in row.get("annotations", [])]
        spec = CommentSpec(
            code=row["code"],
            lang=row["lang"],
            unit=row["unit"],
            style=row.get("style", ""),
            language=row["language"],
            annotations=annotations,
            comment=row.get("comment", ""),
        )
        plain = row["answers"]["near_copy_wrong"].split("\n")
        injected = next(each for each in row["answers"]["injection"].split("\n") if each not in plain)
        yield ContrastRow(row["id"], spec, row["answers"], injected)


def comment_judge() -> CommentJudge:
    """Return the judge; it starts no process."""
    return CommentJudge(Resources(Sandbox(), ExitStack()))


def judged(program: str, spec: CommentSpec) -> Judgement:
    """Return the judgement of one program."""
    return comment_judge().judge(Extraction(program=program, rule=""), spec)


def a_spec(code: str, *annotations: tuple[int, str], lang: str = "Python", **more: Any) -> CommentSpec:
    """Return a spec with annotations as pairs of line and text."""
    return CommentSpec(
        code=code,
        lang=lang,
        annotations=[Annotation(line=line, text=text) for line, text in annotations],
        **more,
    )


def answered(program: str, spec: CommentSpec) -> AnsweredCode:
    """Return a program with its comments, and the code that was given."""
    return AnsweredCode(GivenCode(spec), program, read_comments(program, spec.lang))


def texts(found: AnsweredCode) -> Sequence[str]:
    """Return the texts of its comments."""
    return [each.text for each in found.added]

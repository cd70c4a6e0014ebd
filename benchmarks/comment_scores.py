"""Processor time of scoring one commented text by rule, parse included.

`./run python -m benchmarks.comment_scores [--json]` judges texts of about 60 lines, made of the bundled
contrast set, in each language whose grammar is installed: right answers, those in other words, near copies.
The code as it was given is read once. Seconds are those of this process and of the parser's, and on a busy
machine they are more than on a quiet one.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import msgspec

from benchwright.contracts import Annotation, CommentSpec, Extraction
from benchwright.errors import DataError, PrerequisiteError
from benchwright.judges.comments.judge import CommentJudge
from benchwright.judges.judge_registry import Resources
from benchwright.lang.parser import PARSER
from benchwright.sandbox.box import Sandbox

LINES = 60
ROUNDS = 20
DISTINCT = 12  # texts in turn, more than are kept
KINDS = ("right", "paraphrase", "near_copy_wrong")
LIMITS_MS = {"Python": 4.0, "Java": 10.0, "Go": 10.0, "JavaScript": 10.0}


class Item(msgspec.Struct, frozen=True):
    """A text to comment, and one answer to it."""

    spec: CommentSpec
    answer: str


def joined(rows: Sequence[dict[str, Any]], lang: str, kind: str) -> Item:
    """Rows of one language as one file of `LINES` lines or a few more, with all that they ask for."""
    code, answer = "", ""
    annotations: list[Annotation] = []
    for number, row in enumerate(_without_end([each for each in rows if each["lang"] == lang])):
        if answer.count("\n") >= LINES:
            break
        given, right = (_distinct(text, lang, number) for text in (row["code"], row["answers"][kind]))
        before, cut = code.count("\n"), row["code"].count("\n") - given.count("\n")
        annotations += [
            Annotation(line=each["line"] - cut + before, text=each["text"])
            for each in row.get("annotations", [])
        ]
        code, answer = code + given, answer + right
    return Item(CommentSpec(code=code, lang=lang, unit="file", annotations=annotations), answer)


def _without_end(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    while rows:
        yield from rows


def _distinct(text: str, lang: str, number: int) -> str:
    """One of several parts of a file: in Go only the first has the package clause."""
    return text.split("\n", 2)[2] if lang == "Go" and number else text


def cost_ms(item: Item, judge: CommentJudge) -> float:
    """Milliseconds of processor time of one judgement: the best of several of each text, and their mean.

    What else a machine does adds to the time and takes nothing from it.
    """
    answers = [Extraction(program=item.answer + "\n" * at, rule="") for at in range(DISTINCT)]
    best = [math.inf] * DISTINCT
    for _ in range(ROUNDS):
        best = [min(old, _seconds(each, item.spec, judge)) for old, each in zip(best, answers, strict=True)]
    return 1000 * sum(best) / DISTINCT


def _seconds(answer: Extraction, spec: CommentSpec, judge: CommentJudge) -> float:
    started = time.process_time() + parser_seconds()
    judge.judge(answer, spec)
    return time.process_time() + parser_seconds() - started


def parser_seconds() -> float:
    """What the parser's process has used, to the nanosecond: the first field of Linux's schedstat."""
    process = PARSER._process  # nobody else has a reason to know its number
    return int(Path(f"/proc/{process.pid}/schedstat").read_text().split()[0]) / 1e9 if process else 0.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each language; 1 where one is over its limit."""
    parser = argparse.ArgumentParser(prog="benchmarks.comment_scores")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    bundled = files("benchwright.judges.rubric") / "contrast" / "comments.jsonl"
    rows = [cast("dict[str, Any]", json.loads(line)) for line in bundled.read_text().splitlines()]
    found: dict[str, dict[str, float]] = {}
    with ExitStack() as stack:
        judge = CommentJudge(Resources(stack.enter_context(Sandbox()), stack))
        for lang in LIMITS_MS:
            try:
                found[lang] = {kind: round(cost_ms(joined(rows, lang, kind), judge), 3) for kind in KINDS}
            except (DataError, PrerequisiteError) as error:
                print(f"{lang}: {error}", file=sys.stderr)
    print(json.dumps(found) if options.json else "\n".join(map(_line, found, found.values())))
    return int(any(max(costs.values()) > LIMITS_MS[lang] for lang, costs in found.items()))


def _line(lang: str, costs: dict[str, float]) -> str:
    listed = ", ".join(f"{kind} {cost:.2f}" for kind, cost in costs.items())
    return f"{lang:<11} ms CPU a text of {LINES} lines: {listed} (limit {LIMITS_MS[lang]:g})"


if __name__ == "__main__":
    sys.exit(main())

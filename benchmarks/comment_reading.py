"""Processor time of reading one commented text: tokens, comments, declarations, and whether its code changed.

`./run python -m benchmarks.comment_reading [--json]` reads the texts of `benchmarks.comment_scores`, of about
60 lines, in each language whose grammar is installed, and compares each with the code as it was given.
Seconds are those of this process and of the parser's; on a busy machine they are more than on a quiet one.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from importlib.resources import files

from benchmarks.comment_scores import DISTINCT, LINES, ROUNDS, Item, joined, parser_seconds
from benchwright.errors import PrerequisiteError
from benchwright.lang.comment_reading import anchors, first_change
from benchwright.lang.comment_records import CommentedCode
from benchwright.lang.languages import commented_language

LIMITS_MS = {"Python": 2.5, "Java": 6.0, "Go": 6.0, "JavaScript": 6.0}


def cost_ms(item: Item) -> float:
    """Milliseconds of processor time of one reading: the best of several of each text, and their mean."""
    given = commented_language(item.spec.lang).commented(item.spec.code)
    texts = [item.answer + "\n" * at for at in range(DISTINCT)]
    best = [math.inf] * DISTINCT
    for _ in range(ROUNDS):
        best = [
            min(old, _seconds(text, given, item.spec.lang)) for old, text in zip(best, texts, strict=True)
        ]
    return 1000 * sum(best) / DISTINCT


def _seconds(text: str, given: CommentedCode, lang: str) -> float:
    started = time.process_time() + parser_seconds()
    read = commented_language(lang).commented(text)
    if first_change(given, read) is None:
        anchors(given, read)
    return time.process_time() + parser_seconds() - started


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints a line for each language; 1 where one is over its limit."""
    parser = argparse.ArgumentParser(prog="benchmarks.comment_reading")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    bundled = files("benchwright.judges.rubric") / "contrast" / "comments.jsonl"
    rows = [json.loads(line) for line in bundled.read_text(encoding="utf-8").splitlines()]
    found: dict[str, float] = {}
    for lang in LIMITS_MS:
        try:
            found[lang] = round(cost_ms(joined(rows, lang, "right")), 3)
        except PrerequisiteError as error:
            print(f"{lang}: {error}", file=sys.stderr)
    if options.json:
        print(json.dumps(found))
    else:
        for lang, cost in found.items():
            print(f"{lang:<11} {cost:.2f} ms CPU a text of {LINES} lines (limit {LIMITS_MS[lang]:g})")
    return int(any(cost > LIMITS_MS[lang] for lang, cost in found.items()))


if __name__ == "__main__":
    sys.exit(main())

"""Large populations of labelled candidates with versions of their files, as the stages before balancing
produce them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import cache

from benchwright.building.codecorrectness.naive_baselines import BaselineRow
from benchwright.building.codecorrectness.row_records import Candidate
from kit.made_candidates import candidate

LANGS = ("Python", "Java", "Go")


@cache
def population(
    *,
    repositories: int = 24,
    files: int = 5,
    survive: float = 0.5,
    natural: float = 0.03,
    history: float = 0.3,
    seed: int = 1,
    edits: tuple[int, int, int] = (9, 2, 20),
) -> tuple[Candidate, ...]:
    """Return tests of many files, each with its original row, most with a killed mutant and some with a
    survivor.

    `natural` is the share of originals that fail, `history` that of files with a fixing commit; `edits` are
    the lengths of the changes in a killed mutant, in a survivor and before a fix.
    """
    draw = random.Random(seed)
    found: list[Candidate] = []
    for number in range(repositories):
        lang = LANGS[number % len(LANGS)]
        for file in range(1 + draw.randrange(2 * files)):
            found += _of_file(draw, lang, f"r{number}", f"f{file}", survive, natural, history, edits)
    return tuple(found)


def _of_file(
    draw: random.Random,
    lang: str,
    repository: str,
    file: str,
    survive: float,
    natural: float,
    history: float,
    edits: tuple[int, int, int],
) -> Iterator[Candidate]:
    text = _text(draw, 4 + draw.randrange(8))
    for case in range(1 + draw.randrange(4)):
        place = _place(lang, repository, file, f"c{case}")
        if draw.random() < natural:
            yield candidate(**place, focal_code=text, label="failed", kind="exception")
            continue
        yield candidate(**place, focal_code=text, label="success")
        changed = {"subset": "mutated", "mutation": "slip-1-1"}
        if draw.random() < 0.7:
            yield candidate(**place, **changed, focal_code=_edited(draw, text, edits[0]), label="failed")
        if draw.random() < survive:
            yield candidate(**place, **changed, focal_code=_edited(draw, text, edits[1]), label="success")
    if draw.random() < history:
        place = _place(lang, repository, file, "fixed")
        before, origin = _edited(draw, text, edits[2]), {"subset": "history", "origin": "commit abc123"}
        yield candidate(**place, **origin, focal_code=before, label="failed")
        yield candidate(**place, **origin, focal_code=text, label="success")


def _place(lang: str, repository: str, file: str, case: str) -> dict[str, str]:
    return {
        "lang": lang,
        "repository": repository,
        "focal_path": f"{file}.py",
        "test_path": f"test_{file}.py",
        "case": case,
        "test_code": f"def test_{repository}_{file}_{case}(): pass\n",
    }


def _text(draw: random.Random, lines: int) -> str:
    return "\n".join(f"line {at} = {draw.randrange(1000)}" for at in range(lines))


def _edited(draw: random.Random, text: str, size: int) -> str:
    lines = text.split("\n")
    lines[draw.randrange(len(lines))] += f" {draw.randrange(10**size):0{size}}"
    return "\n".join(lines)


def shown(rows: Iterable[Candidate]) -> list[BaselineRow]:
    """Return the features of candidates that readers without understanding see."""
    return [
        BaselineRow(
            focal_code=row.focal_code,
            test_code=row.test_code,
            label=row.label,
            repository=row.repository,
            focal_path=row.focal_path,
        )
        for row in rows
    ]

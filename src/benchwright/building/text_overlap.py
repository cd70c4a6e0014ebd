"""Text overlap: near duplicates among tasks, and tasks that a corpus contains.

Texts are compared as sets of token runs (shingles), ten tokens for a corpus. Bands of hashes select which
pairs of many texts to compare at all.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import DataError, UsageError
from benchwright.store.data_files import data_hash, open_rows

IN_CORPUS = "in_corpus"
RUN = 10  # length of a run in tokens
MIN_SHARE = 0.5  # minimum share of a task's runs in the corpus
MAX_FILE = 16 << 20
_ROWS = (".jsonl", ".json", ".gz", ".parquet")


class CorpusText(NamedTuple):
    """A text of a corpus and its place."""

    place: str
    text: str


def corpus_texts(paths: Iterable[str | Path]) -> Iterator[CorpusText]:
    """The texts of files and folders: each row of a data set, and every other file whole.

    Invalid UTF-8 is replaced, since a corpus may be any collection of files. Raises UsageError for a missing
    path.
    """
    for file in corpus_files(paths):
        yield from _texts(file)


def corpus_files(paths: Iterable[str | Path]) -> Iterator[Path]:
    """The files of a corpus, those of a folder sorted by name. Raises UsageError for a missing path."""
    for path in map(Path, paths):
        if not path.exists():
            raise UsageError(f"--corpus {escaped_path(path)}: no such file or folder", hint="check the path")
        yield from sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]


def corpus_digests(paths: Iterable[str | Path]) -> list[str]:
    """The SHA-256 of each file; part of the identity of a build."""
    return [data_hash(str(file)) for file in corpus_files(paths)]


def _texts(file: Path) -> Iterator[CorpusText]:
    if file.name.endswith(_ROWS):
        yield from _rows(file)
    else:
        with file.open("rb") as stream:
            yield CorpusText(escaped_path(file), stream.read(MAX_FILE).decode("utf-8", "replace"))


def _rows(file: Path) -> Iterator[CorpusText]:
    try:
        for line, row in open_rows(file, refuse=lambda _: None):
            yield CorpusText(f"{escaped_path(file)}:{line}", "\n".join(_strings(row)))
    except DataError as error:
        raise UsageError(f"--corpus: {error.message}", hint=error.hint) from None


def _strings(value: object) -> Iterator[str]:
    """All texts in a row, at any depth."""
    waiting = [value]
    while waiting:
        each = waiting.pop(0)
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


class CorpusMatch(NamedTuple):
    """A part of a task, its prompt or its solution, and the corpus text that contains most of it."""

    unit: str
    part: str
    share: float  # share of its runs
    place: str

    @property
    def detail(self) -> str:
        """One line for people."""
        return f"{self.share:.0%} of the {self.part}, in runs of {RUN} tokens, stands in {self.place}"

    @property
    def evidence(self) -> dict[str, Any]:
        """The same as JSON data."""
        return {"part": self.part, "share": round(self.share, 4), "place": self.place}


def corpus_matches(
    parts: Sequence[tuple[str, str, str]], corpus: Iterable[CorpusText]
) -> Iterator[CorpusMatch]:
    """Yield the parts of tasks (unit, name, text) that share at least half of their runs with a corpus text.

    Prompt and solution are separate parts, since a corpus may contain either. The corpus is read once.
    """
    sizes: list[int] = []
    owners: dict[int, list[int]] = {}
    for number, (_, _, text) in enumerate(parts):
        marks = shingles(text, width=RUN)
        sizes.append(len(marks))
        for mark in marks:
            owners.setdefault(mark, []).append(number)
    best: dict[int, tuple[float, str]] = {}
    for place, text in corpus:
        for number, count in _shared_counts(shingles(text, width=RUN), owners).items():
            share = count / sizes[number]
            if share > best.get(number, (0.0, ""))[0]:
                best[number] = share, place
    for number, (share, place) in sorted(best.items()):
        if share >= MIN_SHARE:
            unit, part, _ = parts[number]
            yield CorpusMatch(unit, part, share, place)


def _shared_counts(marks: Shingles, owners: dict[int, list[int]]) -> dict[int, int]:
    counts: dict[int, int] = {}
    for mark in marks:
        for number in owners.get(mark, ()):
            counts[number] = counts.get(number, 0) + 1
    return counts


WIDTH = 5
BANDS, ROWS = 32, 4  # at a likeness of 0.85 one pair in 10^10 shares no band
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\S")
_COMMENT = re.compile(r"^\s*(#|//).*$", re.MULTILINE)
_PRIME = (1 << 61) - 1
Shingles = frozenset[int]


def shingles(code: str, *, width: int = WIDTH) -> Shingles:
    """The hashed runs of `width` tokens of a text, without whole-line comments and white space."""
    tokens = _TOKEN.findall(_COMMENT.sub("", code))
    runs = (" ".join(tokens[at : at + width]) for at in range(max(1, len(tokens) - width + 1)))
    return frozenset(_hash(run) for run in runs)


def jaccard(first: Shingles, second: Shingles) -> float:
    """The share of all shingles that both sets contain; 1 for two empty sets."""
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def bands(marks: Shingles) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The bands of the signature. Two texts with a common band are worth comparing."""
    signature = [min((a * mark + b) % _PRIME for mark in marks) for a, b in _FACTORS]
    for band in range(BANDS):
        yield band, tuple(signature[band * ROWS : (band + 1) * ROWS])


def _hash(text: str) -> int:
    """A stable hash; the built-in `hash` differs between processes."""
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=7).digest(), "big")


_FACTORS = [(1 + _hash(f"factor {number}"), _hash(f"summand {number}")) for number in range(BANDS * ROWS)]

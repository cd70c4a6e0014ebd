"""Decontamination: runs of 13 tokens that a text shares with a benchmark.

Only tokens of the benchmarks can be in a shared run, so a text is hashed only where 13 of them follow each
other. A run counts if it has at least `LEAST_NAMES` different names: a table or a licence header has not.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchwright import demo
from benchwright.building.text_overlap import CorpusText, corpus_digests, corpus_texts
from benchwright.store.named_data import is_here, known_data

RUN = 13  # tokens
_KNOWN_RUN = b"\x01" * RUN
LEAST_NAMES = 5  # different names and numbers in a run
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\s\w]")


class Benchmark(NamedTuple):
    """A benchmark that must not be trained on: its name and the files of its tasks."""

    name: str
    paths: tuple[Path, ...]

    @property
    def digest(self) -> str:
        """SHA-256 over the contents."""
        return hashlib.sha256("".join(corpus_digests(self.paths)).encode()).hexdigest()


def benchmarks(against: Sequence[str]) -> list[Benchmark]:
    """The bundled data, the named data sets that are stored here, and files that a user names.

    Raises UsageError for a missing file.
    """
    folder = Path(demo.__file__).parent
    bundled = tuple(path for path in sorted(folder.rglob("*.jsonl")) if not _has_answers(path))
    stored = [Benchmark(each.name, (each.place,)) for each in known_data().values() if is_here(each)]
    return [
        Benchmark("bundled", bundled),
        *stored,
        *(Benchmark(Path(each).name, (Path(each),)) for each in against),
    ]


def _has_answers(path: Path) -> bool:
    """True for answers and judgements in the folder of the demo data."""
    return path.name.startswith("demo-") or path.parent.name == "judge"


class BenchmarkIndex:
    """The runs of all benchmarks, and how many texts share one with each of them."""

    def __init__(self, given: Iterable[Benchmark]) -> None:
        self._words: set[str] = set()
        self._runs: dict[int, str] = {}
        for each in given:
            for text in corpus_texts(each.paths):
                self._add(each.name, text)

    def _add(self, name: str, text: CorpusText) -> None:
        tokens = _TOKEN.findall(text.text)
        self._words.update(tokens)
        for run in _runs(tokens):
            self._runs.setdefault(hash(run), name)

    def __len__(self) -> int:
        return len(self._runs)

    def hit(self, text: str) -> str:
        """The benchmark with which the text shares a run; empty for none."""
        known, start = self._words, 0
        tokens = _TOKEN.findall(text)
        if _KNOWN_RUN not in bytes(map(known.__contains__, tokens)):
            return ""
        for at, token in enumerate(tokens):
            if token not in known:
                start = at + 1
            elif at - start + 1 >= RUN:
                run = tuple(tokens[at - RUN + 1 : at + 1])
                if (name := self._runs.get(hash(run))) is not None and _is_telling(run):
                    return name
        return ""


def _runs(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the runs with enough names. Each token is classified once, not once for each of its runs."""
    names = [each if _is_name(each) else "" for each in tokens]
    for at in range(len(tokens) - RUN + 1):
        found = set(names[at : at + RUN])
        if len(found) - ("" in found) >= LEAST_NAMES:
            yield tuple(tokens[at : at + RUN])


def _is_telling(run: tuple[str, ...]) -> bool:
    return sum(map(_is_name, set(run))) >= LEAST_NAMES


def _is_name(token: str) -> bool:
    """Whether a token is a name or a number."""
    return token[0].isalnum() or token[0] == "_"


def added_lines(patch: str) -> str:
    """The lines that a patch adds."""
    lines = patch.splitlines()
    return "\n".join(each[1:] for each in lines if each.startswith("+") and not each.startswith("+++"))

"""The demo's rows of CodeCorrectness: files under test with their tests, read from `pair_texts/*.txt`.

They are kept as texts, not as source files: half of them are wrong on purpose, and no tool that looks after
this project's own code should read them as such.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "pair_texts"
LANGUAGES = {"python": "Python", "java": "Java", "go": "Go"}
MARK, TEST = "######## ", "######## test\n"
FLAKY = "FLAKY"  # how the reason begins of a pair whose result hangs on chance


@dataclass(frozen=True)
class DemoPair:
    """One pair. `why` is for people and is in no row; `label` is what execution gave."""

    number: int
    lang: str
    label: str
    focal_path: str
    test_path: str
    why: str
    focal_code: str
    test_code: str

    @property
    def is_flaky(self) -> bool:
        """Whether its label means nothing, so that checking must find it."""
        return self.why.startswith(FLAKY)


def pairs() -> list[DemoPair]:
    """All pairs in their order, numbered from 1 as MERA numbers its rows."""
    blocks = [
        (lang, block)
        for name, lang in LANGUAGES.items()
        for block in _blocks((FOLDER / f"{name}.txt").read_text("utf-8"))
    ]
    return [_pair(number, lang, *block) for number, (lang, block) in enumerate(blocks, 1)]


def _blocks(text: str) -> list[tuple[str, str, str]]:
    """Head line, focal file and test file of each pair."""
    found = []
    for block in ("\n" + text.replace(TEST, "\0")).split(f"\n{MARK}")[1:]:
        head, _, files = block.partition("\n")
        focal, _, test = files.partition("\0")
        found.append((head, focal, test.rstrip("\n") + "\n"))
    return found


def _pair(number: int, lang: str, head: str, focal: str, test: str) -> DemoPair:
    label, focal_path, test_path, why = (part.strip() for part in head.split("|"))
    return DemoPair(number, lang, label, focal_path, test_path, why, focal, test)

"""Search for a program inside other encodings, for texts without a plain program.

The rules of `carriers` are tried in order and nested. If a rule finds different programs, none is chosen.
Nothing is executed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from benchwright.text.carriers import RULES
from benchwright.text.frame import PromptFrame
from benchwright.text.reading import Reading
from benchwright.text.syntax import same_program

MOST_CHARS = 32 << 10  # of a text that is searched; encoded answers are far shorter
MOST_READINGS = 12
DEPTH = 3  # nested encodings
Read = Callable[[str], Reading | None]
_UNINDENTED = frozenset({"stripped-body", "flat-body"})


def rescue(texts: Sequence[str], frame: PromptFrame, read: Read) -> Reading | None:
    """Return the only program in encoded texts; None if there is none, or more than one.

    Its `shape` begins with the names of the rules.
    """
    search = _Search(frame, read)
    found = {reading.program: reading for text in texts for reading in search.look_into(text, DEPTH)}
    return next(iter(found.values())) if len(found) == 1 and not search.gave_up else None


def named_as_it_stands(reading: Reading, prompt: str, text: str) -> Reading:
    """Rename a reading to a plain body if prompt and text, concatenated, are the same program.

    So a pass is attributed to a rule only if harnesses that concatenate the two would run something else.
    """
    begun = reading.shape in _UNINDENTED and prompt.endswith((" ", "\t"))
    plain = (begun or reading.shape == "body+indent") and same_program(prompt + text, reading.program)
    return reading._replace(shape="body") if plain else reading


class _Search:
    def __init__(self, frame: PromptFrame, read: Read) -> None:
        self._frame, self._read = frame, read
        self._left = MOST_READINGS
        self.gave_up = False  # there was more to read than is read, or programs that differ

    def look_into(self, text: str, depth: int) -> list[Reading]:
        """Return the programs of the first rule with a result; several if they differ."""
        if depth == 0 or len(text) > MOST_CHARS:
            return []
        for name, rule in RULES.items():
            found = self._readings(self._candidates(rule(text), text), depth)
            if found:
                return [each._replace(shape=f"{name}+{each.shape}") for each in found]
        return []

    def _candidates(self, inner: Sequence[str], text: str) -> list[str]:
        """Return texts that define the entry point; all if the whole does not, since one may be its body."""
        others = [each for each in dict.fromkeys(inner) if each.strip() and each != text]
        head = f"def {self._frame.name}"
        return [each for each in others if head in each] if head in text else others

    def _readings(self, candidates: Sequence[str], depth: int) -> list[Reading]:
        found: dict[str, Reading] = {}
        for candidate in candidates:
            if self._left == 0:
                self.gave_up = True
                return []
            self._left -= 1
            reading = self._read(candidate)
            for each in [reading] if reading else self.look_into(candidate, depth - 1):
                found.setdefault(each.program, each)
        return list(found.values())

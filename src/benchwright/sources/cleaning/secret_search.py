"""Search for secrets in texts: keys, tokens, passwords. Each is replaced by `<secret:KIND>`.

Four searches complement each other: formats with a fixed beginning (`secret_rules`), structures around a
secret such as an address with a password (`secret_structures`), blocks of several lines (`secret_blocks`),
and values that are assigned to a telling name (`secret_assignments`). Each also searches encoded texts
(`secret_encodings`). Each takes linear time, and memory for one copy of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from benchwright.sources.cleaning.plain_words import PlainWords, joined
from benchwright.sources.cleaning.secret_assignments import NAME_CUES, assigned_secrets, has_random_value
from benchwright.sources.cleaning.secret_blocks import BLOCK_CUES, block_secrets
from benchwright.sources.cleaning.secret_encodings import encoded_secrets
from benchwright.sources.cleaning.secret_rules import BACK, FORMATS, SecretFormat
from benchwright.sources.cleaning.secret_runs import HarmlessRuns, runs_of
from benchwright.sources.cleaning.secret_settings import SETTING_CUES, chosen_secrets
from benchwright.sources.cleaning.secret_structures import STRUCTURE_CUES, structured_secrets
from benchwright.sources.cleaning.secret_values import is_masked


class FoundSecret(NamedTuple):
    """A secret of a text: where it starts and ends, and its kind."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[FoundSecret]:
    """The secrets of a text in order; overlapping ones are one, of the kind that starts first."""
    words = _PLAIN.others(text)
    if not words:
        return []
    new = joined(words)
    runs, lower = runs_of(new), new.lower()
    formatted = () if _UNFORMATTED.covers(runs) else _formatted(text, runs)
    random = not _NOT_RANDOM.covers(runs)
    encoded = () if _NOT_ENCODED.covers(runs) else encoded_secrets(text, _decoded_secrets)
    cues = {each for each in _CUES if each in lower}
    telling = [run for memory in _MEMORIES for run in memory.others(runs)]
    _PLAIN.add(words, marks=[*map(str.strip, cues), *telling])
    return _merged([*formatted, *_unformatted(text, cues, random=random), *encoded])


_CUES = STRUCTURE_CUES | BLOCK_CUES | NAME_CUES | SETTING_CUES


def _unformatted(
    text: str, cues: AbstractSet[str] = _CUES, *, random: bool = True
) -> Iterator[tuple[int, int, str]]:
    """The secrets that have no format; `cues` are those of the words of the text."""
    if not cues.isdisjoint(STRUCTURE_CUES):
        yield from structured_secrets(text, cues)
    if not cues.isdisjoint(BLOCK_CUES):
        yield from block_secrets(text)
    if random or not cues.isdisjoint(NAME_CUES):
        yield from assigned_secrets(text, random=random)
    if not cues.isdisjoint(SETTING_CUES):
        yield from chosen_secrets(text)


def _decoded_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    """The secrets of a text that was encoded, and of the encoded texts in it."""
    yield from _plain_secrets(text)
    yield from encoded_secrets(text, _plain_secrets)


def _plain_secrets(text: str) -> Iterator[tuple[int, int, str]]:
    yield from _formatted(text, runs_of(text))
    yield from _unformatted(text)


def _merged(found: Iterable[tuple[int, int, str]]) -> list[FoundSecret]:
    merged: list[FoundSecret] = []
    for start, end, kind in sorted(found, key=lambda each: (each[0], -each[1])):
        if merged and start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
        else:
            merged.append(FoundSecret(start, end, kind))
    return merged


def without_secrets(text: str) -> str:
    """The text with `<secret:KIND>` for each secret."""
    return _replaced(text, find_secrets(text))


def _replaced(text: str, found: Iterable[FoundSecret]) -> str:
    parts, at = [], 0
    for start, end, kind in found:
        parts += [text[at:start], f"<secret:{kind}>"]
        at = end
    return "".join([*parts, text[at:]]) if parts else text


# A run without white space that has a digit or a capital: about 5 % of code. Each cue is in such a run.
_TELLING = re.compile(r"[0-9A-Z]|[a-z]{20}")


def _formatted(text: str, runs: Iterable[str]) -> Iterator[tuple[int, int, str]]:
    telling = "\n".join([each for each in runs if _TELLING.search(each)])
    for each in FORMATS:
        if each.cue in telling:
            yield from _of_format(text, each)


def _has_format(text: str) -> bool:
    """Whether a format may be found. A secret lies within one run, except one with a cue in `_ACROSS`."""
    text = "\n".join([each for each in text.split("\n") if _TELLING.search(each)])
    cues = (each for each in FORMATS if each.cue in text) if text else ()
    return any(each.cue in _ACROSS or next(_of_format(text, each), None) is not None for each in cues)


_ACROSS = frozenset(each.cue for each in FORMATS if r"\s" in each.pattern.pattern)
_UNFORMATTED, _NOT_RANDOM = HarmlessRuns(_has_format), HarmlessRuns(has_random_value)
_NOT_ENCODED = HarmlessRuns(lambda text: next(encoded_secrets(text, _decoded_secrets), None) is not None)
_MEMORIES, _PLAIN = (_UNFORMATTED, _NOT_RANDOM, _NOT_ENCODED), PlainWords()


def _of_format(text: str, rule: SecretFormat) -> Iterator[tuple[int, int, str]]:
    cue, at = rule.cue, text.find(rule.cue)
    while at >= 0:
        start = _start(text, at, rule.back) if rule.back else at
        end = at + len(cue)
        if _may_start(text, start, rule) and (match := rule.pattern.match(text, start)):
            end = max(end, match.end())
            if not is_masked(match[0]):
                yield start, match.end(), rule.kind
        at = text.find(cue, end)


def _start(text: str, at: int, back: str) -> int:
    """The first of the characters before the cue that may be part of the secret."""
    least = max(0, at - BACK)
    while at > least and text[at - 1] in back:
        at -= 1
    return at


def _may_start(text: str, at: int, rule: SecretFormat) -> bool:
    """False in the middle of a word; the letter of an escape such as `\\n` is not part of a word."""
    if rule.joined or at == 0:
        return True
    before = text[at - 1]
    if rule.long and before in "-_":
        return False
    return not before.isalnum() or (before in "ntr" and text[at - 2 : at - 1] == "\\")

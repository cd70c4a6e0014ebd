"""The cleaner of a build: secrets and people are replaced before a text is stored."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from benchwright.records import Record
from benchwright.sources.cleaning.mentions import without_people
from benchwright.sources.cleaning.pseudonyms import FORGOTTEN, KeyedPseudonyms, identity_of, load_key
from benchwright.sources.cleaning.secret_search import without_secrets
from benchwright.store.writing import read_records, replacing

TOMBSTONES = "tombstones.jsonl"
_WORD = re.compile(r"[A-Za-z\d](?:[A-Za-z\d]|-(?=[A-Za-z\d])){0,38}", re.ASCII)  # as logins are formed


class Tombstone(Record, frozen=True, kw_only=True):
    """A request to forget. `mark` is a keyed hash, so that the request does not keep the name."""

    kind: str  # user, repo, url
    mark: str


class TextCleaner:
    """Replaces secrets and people in texts; a `sources.events.Cleaner`.

    Cleaning a cleaned text changes nothing.
    """

    def __init__(self, people: KeyedPseudonyms) -> None:
        self.people = people
        self._word = lru_cache(maxsize=100_000)(self._without_forgotten)

    def text(self, text: str) -> str:
        """Replace secrets by `<secret:KIND>`, people by pseudonyms.

        A replacement can be part of another match, as in `jane@corp.comjane@corp.com`, so a changed text is
        searched again.
        """
        cleaned = self._cleaned_once(text)
        while cleaned != text:
            text, cleaned = cleaned, self._cleaned_once(cleaned)
        return cleaned

    def _cleaned_once(self, text: str) -> str:
        cleaned = without_people(without_secrets(text), self.people.of)
        if not self.people.forgotten:
            return cleaned
        return _WORD.sub(lambda match: self._word(match[0]), cleaned)

    def _without_forgotten(self, word: str) -> str:
        return FORGOTTEN if self.people.is_forgotten("user", identity_of(word)) else word

    def person(self, identity: str) -> str:
        """Return the pseudonym of a login or an e-mail address; empty for an empty text."""
        return self.people.of(identity)


def open_cleaner(folder: Path) -> TextCleaner:
    """The cleaner of a build folder, with its key; a new build gets a new key.

    Raises RunError for a key that others can read, or a damaged one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    return TextCleaner(KeyedPseudonyms(load_key(folder), forgotten=forgotten_marks(folder)))


def forgotten_marks(folder: Path) -> list[str]:
    """The marks of all requests to forget in a build."""
    return [each.mark for each in _tombstones(folder / TOMBSTONES)]


def _tombstones(path: Path) -> list[Tombstone]:
    return list(read_records(path, Tombstone)) if path.exists() else []


def add_tombstones(folder: Path, new: Iterable[Tombstone]) -> None:
    """Store requests to forget, each once."""
    every = {*_tombstones(folder / TOMBSTONES), *new}
    with replacing(folder / TOMBSTONES) as file:
        for each in sorted(every, key=lambda each: (each.kind, each.mark)):
            file.write(msgspec.json.encode(each) + b"\n")

"""Pseudonyms of people: within a data set, a name always gets the same pseudonym.

The key is the hash of the collected data set, so that names cannot be guessed from the rows alone, and a
person has different pseudonyms in different data sets.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from benchwright.store.keys import content_key

_PERSON = frozenset(
    {
        *("user_login", "login", "author", "user", "assignee", "assignees", "closed_by", "committer"),
        *("author_name", "author_email", "committer_name", "committer_email", "email", "reviewer"),
    }
)
_CODE = ("code_snippet",)  # fields with code, in which @ is not a mention
_MENTION = re.compile(r"(?<![\w.@/`-])@([A-Za-z0-9][A-Za-z0-9-]{0,38})")


def data_hash_of(source: str | Path) -> str:
    """Hash of a data set; imported lazily, because a worker does not read files."""
    from benchwright.store.sources import data_hash  # noqa: PLC0415

    return data_hash(source)


class Pseudonyms:
    """Pseudonyms of one data set. `key_of` returns its key and is called at first use."""

    def __init__(self, key_of: Callable[[], str]) -> None:
        self._key_of = key_of

    @cached_property
    def _key(self) -> str:
        return self._key_of()

    def of(self, name: str) -> str:
        """The pseudonym of a name; empty for an empty name."""
        return f"user-{content_key('author', self._key, name.strip().lower())[:10]}" if name.strip() else name

    def record(self, record: dict[str, Any]) -> dict[str, Any]:
        """A record with pseudonyms for names in its fields and for mentions of these people in its texts."""
        people: set[str] = set()
        replaced: dict[str, Any] = self._fields(record, people)
        known = {name.strip().lower() for name in people}
        return self._mentions(replaced, known) if known else replaced

    def _fields(self, value: Any, people: set[str], *, person: bool = False) -> Any:
        if isinstance(value, str) and person:
            people.add(value)
            return self.of(value)
        if isinstance(value, list):
            return [self._fields(each, people, person=person) for each in value]
        if not isinstance(value, dict):
            return value
        if person:  # an account object of the platform, with URLs that contain the name
            login = next(
                (value[key] for key in ("login", "name", "email") if isinstance(value.get(key), str)), ""
            )
            return {"login": self._fields(login, people, person=True)}
        return {
            name: self._fields(each, people, person=name in _PERSON or name.endswith("_login"))
            for name, each in value.items()
        }

    def _mentions(self, value: Any, known: set[str]) -> Any:
        if isinstance(value, str):
            return _MENTION.sub(
                lambda found: f"@{self.of(found[1])}" if found[1].lower() in known else found[0], value
            )
        if isinstance(value, list):
            return [self._mentions(each, known) for each in value]
        if isinstance(value, dict):
            return {
                name: each if name in _CODE else self._mentions(each, known) for name, each in value.items()
            }
        return value

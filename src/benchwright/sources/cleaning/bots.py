"""Recognise programs among authors: by the platform's word, an exact suffix, or exact lists (`bots.toml`).

A part of a name never decides, since people are called Abbott, Cabot and Talbot.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchwright.sources.cleaning.pseudonyms import identity_of

SUFFIX = "[bot]"


class BotLists(NamedTuple):
    """Logins, names and e-mail addresses of programs, in lower case."""

    logins: frozenset[str]
    names: frozenset[str]
    addresses: frozenset[str]


@cache
def bot_lists() -> BotLists:
    """The lists of `bots.toml`."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return BotLists(*(frozenset(map(str.lower, read.get(name, ()))) for name in BotLists._fields))


def is_bot(*, login: str = "", name: str = "", address: str = "", kind: str = "") -> bool:
    """True for an account that is a program. `kind` is the type that the platform states, such as "Bot"."""
    lists = bot_lists()
    if kind == "Bot":
        return True
    login, name, address = (each.strip().lower() for each in (login, name, address))
    known = identity_of(address) if address else ""  # the login, for an address of the platform
    if any(each.endswith(SUFFIX) for each in (login, name, known)):
        return True
    if not login and "@" not in known:
        login = known
    return login in lists.logins or name in lists.names or name in lists.logins or address in lists.addresses

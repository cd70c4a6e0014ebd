"""Recognise programs among authors: by the platform's word, an exact suffix, or lists (`bots.toml`).

A part of a word never decides, since people are called Abbott, Cabot and Talbot. A whole word such as "Bot"
decides only if all words of the name are words of automation ("docs release bot"), or if the address is a
program's too ("Zo Bot" with `zo-bot@`): Bot, Ai and Agent are surnames.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchwright.sources.cleaning.pseudonyms import identity_of

SUFFIX = "[bot]"
_SEPARATOR = re.compile(r"[\s._-]+|(?<=[a-z])(?=Bot$)")
_MARKS = frozenset(("bot", "Bot", "BOT", "robot", "Robot", "agent", "Agent", "AI", "CI", "ci"))
_MARKS |= {"autofix", "Autofix", "automation", "Automation"}
_LOCAL_PART = re.compile(
    r"bot|robot|agent|ai|ci|autofix|automation|no-?reply|[a-z0-9-]+-(?:bot|robot|agent|autofix|automation)"
)
# Tokens of projects and groups: https://docs.gitlab.com/user/project/settings/project_access_tokens/
_GITLAB_TOKEN = re.compile(r"(?:project|group)_\d+_bot(?:_[0-9a-z]+)?(?:@noreply\..+)?")


class BotLists(NamedTuple):
    """Logins, names and e-mail addresses of programs, and words of automation, in lower case."""

    logins: frozenset[str]
    names: frozenset[str]
    addresses: frozenset[str]
    words: frozenset[str]  # a name of two or more of these is a program's if one of them is a mark
    marks: frozenset[str]


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
    given = name.strip()
    login, name, address = (each.strip().lower() for each in (login, name, address))
    known = identity_of(address) if address else ""  # the login, for an address of the platform
    if any(each.endswith(SUFFIX) for each in (login, name, known)):
        return True
    if not login and "@" not in known:
        login = known
    if login in lists.logins or name in lists.names or name in lists.logins or address in lists.addresses:
        return True
    if any(_GITLAB_TOKEN.fullmatch(each) for each in (login, address)):
        return True
    return _is_automation(login) or _is_automation(name) or _is_marked(given, login or address)


def _is_automation(name: str) -> bool:
    """Whether a name consists of words of automation, such as "release-bot"."""
    lists, words = bot_lists(), re.split(r"[\s._-]+", name)
    return len(words) > 1 and lists.words.issuperset(words) and not lists.marks.isdisjoint(words)


def _is_marked(name: str, contact: str) -> bool:
    """Whether a name has a mark as a word, and another login or local part of the address is a program's.

    A nickname that is name and login says the same thing twice.
    """
    local = contact.partition("@")[0].partition("+")[0]
    is_program = local != name.lower() and _LOCAL_PART.fullmatch(local) is not None
    return is_program and not _MARKS.isdisjoint(_SEPARATOR.split(name))

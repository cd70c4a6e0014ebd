"""The rules of `rules.toml` as checks of proselint, and the rule on class names that are participles."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from proselint.registry.checks import Check
from proselint.registry.checks.engine import Fancy
from proselint.registry.checks.types import PreferredForms

from tools.prose.texts import Text, texts_of

RULES = Path(__file__).with_name("rules.toml")
PARTICIPLE = "participle"
_MARK = "\n\0\n"  # no rule matches across it
_CLASS = re.compile(r"^ *class (\w+)\b.*:$")
_REGULAR = re.compile(r"[A-Z][a-z]+ed")


class Finding(NamedTuple):
    """A phrase that violates a rule: its place, and the wording to use."""

    path: str
    line: int
    rule: str
    found: str
    write: str


class Rule(NamedTuple):
    """A rule as a check of proselint, with its conditions."""

    name: str
    check: Check
    at_start: bool
    unless: re.Pattern[str] | None


@cache
def rules() -> tuple[Rule, ...]:
    """Return the rules in the order of the file."""
    return tuple(_rule(table) for table in _tables()["rule"])


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(RULES.read_text(encoding="utf-8"))


def findings_in(path: Path, name: str) -> Iterator[Finding]:
    """Yield findings in a file by line; `name` is its path from the root."""
    found = _in_texts(list(texts_of(path, name)), name)
    if path.suffix == ".py":
        found += _in_names(path.read_text(encoding="utf-8"), name)
    yield from sorted(found, key=lambda each: (each.line, each.rule))


def _rule(table: dict[str, Any]) -> Rule:
    forms = {pattern.replace(" ", r"\s+"): table["write"] for pattern in table["find"]}
    check = Check(PreferredForms(forms), engine=Fancy(), path=table["name"], message="{0}")
    unless = table.get("unless")
    return Rule(table["name"], check, table.get("at") == "start", re.compile(unless) if unless else None)


def _in_texts(texts: Sequence[Text], name: str) -> list[Finding]:
    """Search all texts as one, with a mark between them: there are many rules, and most texts are short."""
    joined = _MARK.join(text.text for text in texts)
    begins = list(accumulate((len(text.text) + len(_MARK) for text in texts), initial=0))
    found = []
    for rule in rules():
        for result in rule.check.check(joined):
            number = bisect_right(begins, result.span[0]) - 1
            text, place = texts[number], result.span[0] - begins[number]
            if _applies(rule, text.text, place, name):
                phrase = " ".join(joined[slice(*result.span)].split())
                found.append(Finding(name, text.line_of(place), rule.name, phrase, result.message))
    return found


def _applies(rule: Rule, text: str, place: int, name: str) -> bool:
    """Return whether a rule forbids a phrase at this place; cells and list items may begin with any word."""
    if rule.at_start and (name.endswith(".md") or text[:place].strip(" -*:`_")):
        return False
    return not (rule.unless and rule.unless.search(text))


def _in_names(content: str, name: str) -> list[Finding]:
    return [
        Finding(name, line, PARTICIPLE, f"class {word}", "a noun: StepResult, ConvertedRow")
        for line, text in enumerate(content.splitlines(), start=1)
        for word in _CLASS.findall(text)
        if is_participle(word)
    ]


def is_participle(word: str) -> bool:
    """Return whether a class name is only a participle."""
    is_regular = _REGULAR.fullmatch(word) is not None and word not in _tables()["no_participles"]
    return is_regular or word in _tables()["participles"]

"""The category of feedback by rules that are data (`feedback_rules.toml`): a heuristic, not a measurement.

Quoted lines, code and links are left out before the rules are applied, so that quoted words do not decide.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from benchwright.building.alignment.keywords import visible

CATEGORIES = ("defect", "request", "question", "praise", "style", "noise", "unknown")
MAX_TEXT = 4000  # characters that decide
_QUOTED = re.compile(r"^\s*>.*$", re.MULTILINE)
_ADDRESS = re.compile(r"https?://\S+")
_SUGGESTION = re.compile(r"^\s*```suggestion", re.MULTILINE)
_SPACES = re.compile(
    r"\b(white ?spaces?|spaces?|spacing|indent\w*|tabs?|(blank|empty) lines?|new ?lines?|line breaks?"
    r"|pep-?8|gofmt|reformat\w*|code style)\b",
    re.IGNORECASE,
)
_ENDS = " \t\n.!,;:)(*_~✅👍🎉🚀❤️"


class _CategoryRule(NamedTuple):
    category: str
    kinds: frozenset[str]
    whole: tuple[re.Pattern[str], ...]
    search: tuple[re.Pattern[str], ...]

    def matches(self, kind: str, text: str, bare: str) -> bool:
        if self.kinds and kind not in self.kinds:
            return False
        return any(each.fullmatch(bare) for each in self.whole) or any(
            each.search(text) for each in self.search
        )


@cache
def _rules() -> list[_CategoryRule]:
    data = files("benchwright.building.alignment").joinpath("feedback_rules.toml").read_text("utf-8")
    return [
        _CategoryRule(
            each["category"],
            frozenset(each.get("kinds", ())),
            tuple(re.compile(one, re.IGNORECASE) for one in each.get("whole", ())),
            tuple(re.compile(one, re.IGNORECASE | re.MULTILINE) for one in each.get("search", ())),
        )
        for each in tomllib.loads(data)["rule"]
    ]


def category(kind: str, text: str) -> str:
    """Return the category of feedback of a kind: one of CATEGORIES."""
    if _SUGGESTION.search(text[:MAX_TEXT]):
        return "request"
    plain = _ADDRESS.sub(" ", _QUOTED.sub("", visible(text[:MAX_TEXT]))).replace("\0", " ").strip()
    bare = " ".join(plain.split()).strip(_ENDS)
    return next((rule.category for rule in _rules() if rule.matches(kind, plain, bare)), "unknown")


def speaks_of_spaces(text: str) -> bool:
    """Return whether a remark is about white space, so that a change of white space can answer it."""
    return _SPACES.search(text[:MAX_TEXT]) is not None

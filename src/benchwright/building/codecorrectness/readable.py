"""Failures before the first test runs: which of them a reader of the two texts could have foreseen.

A file that does not compile is a failure as good as any, if the texts show why: a name that the focal file
lacks, a type that does not fit, a bracket. A library that is not on this machine is not in the texts.
"""

from __future__ import annotations

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.lang.languages import language
from benchwright.lang.source import syntax_fault

EARLY = ("compile", "import")  # kinds of failure before the first test
SYNTAX = "syntax"
_MAX_DETAIL = 4000


def kind_of_failure(candidate: Candidate, kind: str) -> str:
    """The kind as rows have it: a compiler that stumbles over the grammar is told as "syntax"."""
    if kind != "compile":
        return kind
    codes = (candidate.focal_code, candidate.test_code)
    return SYNTAX if any(syntax_fault(code, candidate.lang) is not None for code in codes) else kind


def is_readable(candidate: Candidate, kind: str, detail: str) -> bool:
    """Whether the two texts explain why no test ran. `detail`: the first reported errors.

    False if no rule of the language matches the errors: the pair is then dropped without a label.
    """
    return kind in EARLY and language(candidate.lang).shows_why(candidate.texts, detail[:_MAX_DETAIL])

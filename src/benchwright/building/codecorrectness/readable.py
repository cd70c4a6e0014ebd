"""Failures before the first test runs: those that a reader of the two texts could have predicted.

A compile error is a valid failure if the texts show its cause: a name that the focal file lacks, a wrong
type, a bracket. The texts do not show that a library is missing on this machine.
"""

from __future__ import annotations

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.lang.languages import language
from benchwright.lang.source import syntax_fault

EARLY = ("compile", "import")  # kinds of failure before the first test
SYNTAX = "syntax"
_MAX_DETAIL = 4000


def kind_of_failure(candidate: Candidate, kind: str) -> str:
    """The kind of failure as rows state it; a compiler's grammar error is "syntax"."""
    if kind != "compile":
        return kind
    codes = (candidate.focal_code, candidate.test_code)
    return SYNTAX if any(syntax_fault(code, candidate.lang) is not None for code in codes) else kind


def is_readable(candidate: Candidate, kind: str, detail: str) -> bool:
    """Whether the two texts explain why no test ran. `detail`: the first reported errors.

    False if no rule of the language matches the errors: the pair is then dropped without a label.
    """
    return kind in EARLY and language(candidate.lang).shows_why(candidate.texts, detail[:_MAX_DETAIL])

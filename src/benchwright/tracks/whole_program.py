"""Extract a whole program from an answer: the last fenced block of its language, or the whole text."""

from __future__ import annotations

from benchwright import registry
from benchwright.contracts import Extraction
from benchwright.lang.program_languages import program_language
from benchwright.records import SOLUTION, Answer, Outcome
from benchwright.text.fences import find_blocks
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning

_CUT_OFF = "length"  # finish reason of a truncated text


def take_whole_program(answer: Answer, lang: str) -> Extraction:
    """The last fenced block of the language or without a tag; the whole text if there is no block.

    The problem is "no_code" if nothing is left.
    """
    stripped = strip_reasoning(drop_marks(normalise(answer.text)))
    truncated = stripped.truncated or answer.finish_reason == _CUT_OFF
    rule, program = _rule_and_program(answer, stripped.text, lang)
    if program.strip():
        return Extraction(program=program, rule=rule, truncated=truncated)
    reason = "ends within the model's reasoning" if stripped.truncated else "contains no program"
    return Extraction(
        program="", rule=rule, problem=Outcome.no_code, detail=f"the text {reason}", truncated=truncated
    )


def _rule_and_program(answer: Answer, text: str, lang: str) -> tuple[str, str]:
    """The extraction rule, and the program; empty if there is none."""
    if answer.form == SOLUTION:
        return "solution", answer.text
    blocks = find_blocks(text)
    known = registry.PROGRAM_LANGUAGES
    tags = program_language(lang).fence_tags if lang in known else frozenset({lang.lower()})
    tagged_blocks = [block.content for block in blocks if block.tag.lower() in tags]
    untagged_blocks = [block.content for block in blocks if not block.tag]
    if tagged_blocks or untagged_blocks:
        return "fence", (tagged_blocks or untagged_blocks)[-1]
    return ("other fence", "") if blocks else ("text", text)

"""Extract the file from an answer to a MultiPL-E row, by scoring profile.

"multipl-e" is MultiPL-E's rule for its prompts: the completion of a base model up to the first stop token.
"strict" also reads answers of chat and reasoning models: a fenced block with the whole function or its
body, else the same as MultiPL-E.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchwright.contracts import Extraction
from benchwright.records import Answer, Outcome
from benchwright.text.clean import cut_at_stop, drop_marks, normalise, strip_reasoning
from benchwright.text.fences import find_blocks
from benchwright.tracks.known_profile import known_profile
from benchwright.tracks.multipl import MULTIPL
from benchwright.tracks.multipl.forms import LanguageForm, Parts

PROFILES = MULTIPL.profiles
CUT_OFF = "length"  # finish reason of a truncated text


def take_file(
    answer: Answer, form: LanguageForm, parts: Parts, *, stops: Sequence[str], profile: str
) -> Extraction:
    """Extract the answer's file; problem "no_code" if there is no code."""
    if known_profile(profile, PROFILES, track="multipl") == "multipl-e":
        rule, program = "multipl-e", form.continued(parts, cut_at_stop(answer.text, stops)[0])
        return Extraction(program=program, rule=rule, truncated=answer.finish_reason == CUT_OFF)
    stripped = strip_reasoning(drop_marks(normalise(answer.text)))
    truncated = stripped.truncated or answer.finish_reason == CUT_OFF
    rule, program = _read(stripped.text, form, parts, stops)
    if program:
        return Extraction(program=program, rule=rule, truncated=truncated)
    why = "the text ends within the model's reasoning" if stripped.truncated else "the text contains no code"
    return Extraction(program="", rule=rule, problem=Outcome.no_code, detail=why, truncated=truncated)


def _read(text: str, form: LanguageForm, parts: Parts, stops: Sequence[str]) -> tuple[str, str]:
    """The extraction rule, and the file; empty if there is no code."""
    blocks = [block.content for block in find_blocks(text) if block.tag in (form.tag, f"{form.tag}lang", "")]
    wholes = [block for block in blocks if form.defines(block, parts.name)]
    if wholes:
        return "fence+function", form.whole(parts, wholes[-1])
    if blocks:
        return "fence+body", form.closed(parts, blocks[-1])
    if form.defines(text, parts.name):
        return "function", form.whole(parts, text)
    return "continuation", form.continued(parts, cut_at_stop(text, stops)[0]) if text.strip() else ""

"""The file in an answer to a row of MultiPL-E, by a scoring profile.

"multipl-e" is MultiPL-E's own rule for its own prompts: what a base model goes on with, up to the first stop
token. "strict" reads answers of chat and reasoning models too: a fenced block with the whole function, or
with its body, and else the same as MultiPL-E.
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
CUT_OFF = "length"  # the finish reason of a text that was to go on


def take_file(
    answer: Answer, form: LanguageForm, parts: Parts, *, stops: Sequence[str], profile: str
) -> Extraction:
    """The answer's file. Problem "no_code" where an answer holds nothing."""
    if known_profile(profile, PROFILES, track="multipl") == "multipl-e":
        rule, program = "multipl-e", form.continued(parts, cut_at_stop(answer.text, stops)[0])
        return Extraction(program=program, rule=rule, truncated=answer.finish_reason == CUT_OFF)
    stripped = strip_reasoning(drop_marks(normalise(answer.text)))
    truncated = stripped.truncated or answer.finish_reason == CUT_OFF
    rule, program = _read(stripped.text, form, parts, stops)
    if program:
        return Extraction(program=program, rule=rule, truncated=truncated)
    why = (
        "the text ended while the model was still thinking"
        if stripped.truncated
        else "the text holds no code"
    )
    return Extraction(program="", rule=rule, problem=Outcome.no_code, detail=why, truncated=truncated)


def _read(text: str, form: LanguageForm, parts: Parts, stops: Sequence[str]) -> tuple[str, str]:
    """The rule by which a text was read, and the file; an empty one where there is no code."""
    blocks = [block.content for block in find_blocks(text) if block.tag in (form.tag, f"{form.tag}lang", "")]
    wholes = [block for block in blocks if form.defines(block, parts.name)]
    if wholes:
        return "fence+function", form.whole(parts, wholes[-1])
    if blocks:
        return "fence+body", form.closed(parts, blocks[-1])
    if form.defines(text, parts.name):
        return "function", form.whole(parts, text)
    return "continuation", form.continued(parts, cut_at_stop(text, stops)[0]) if text.strip() else ""

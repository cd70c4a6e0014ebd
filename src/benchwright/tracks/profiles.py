"""Scoring profiles: by which rules a program is taken from an answer."""

from __future__ import annotations

from collections.abc import Callable

from benchwright.contracts import Extraction
from benchwright.errors import UsageError
from benchwright.records import Answer
from benchwright.text.mera import process_mera_code, process_mera_text, program

MERA: dict[str, Callable[[str | None], str]] = {
    "mera-code": process_mera_code,
    "mera-text": process_mera_text,
}
PROFILES = ("strict", *MERA)


def take_program(answer: Answer, *, prompt: str, entry_point: str, profile: str) -> Extraction:
    """The program in an answer to a prompt that is the head of a function.

    The MERA profiles never report a problem: what they glue together is run as it is, as MERA does.
    """
    from benchwright.text.extract import CUT_OFF, extract  # noqa: PLC0415 (only workers take programs)

    if profile == "strict":
        return extract(
            answer.text, prompt=prompt, entry_point=entry_point, finish_reason=answer.finish_reason
        )
    process = MERA[check_profile(profile)]
    return Extraction(
        program=program(prompt, process(answer.text)),
        rule=profile,
        truncated=answer.finish_reason in CUT_OFF,
    )


def check_profile(profile: str) -> str:
    """The profile's name, if there is one. Raises UsageError with the nearest name."""
    if profile in PROFILES:
        return profile
    from difflib import get_close_matches  # noqa: PLC0415 (3 ms, only when needed)

    near = get_close_matches(profile, PROFILES, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(PROFILES)}"
    raise UsageError(f"no scoring profile is named {profile!r}", hint=hint)

"""Detection of prompt injection: sentences that address the judge of a text.

They are reported and removed, but never decide a verdict alone: prose about prompts may contain such words.
"""

from __future__ import annotations

import re

LONGEST = 120  # characters of a quote
_WORDS = r"(?:[^\s.!?]+\s+){0,4}?"
_IGNORE = r"(?:ignore|disregard|forget|override|игнориру(?:й|йте)|забудь(?:те)?|отбрось(?:те)?)"
_RULES = (
    r"(?:(?:grading |scoring )?rubrics?|(?:previous|prior|above|earlier|your|all|these|any) "
    r"(?:of )?(?:the )?(?:previous |prior |above |other )?"
    r"(?:instructions?|criteria|guidelines?|prompts?|rules)|"
    r"рубрик[иу]|(?:предыдущие|прошлые|все|эти|свои) (?:предыдущие )?"
    r"(?:инструкции|критерии|правила|указания))"
)
_GIVE = (
    r"(?:give|award|grant|assign|rate|score|grade|mark)\s+"
    r"(?:me|it|us|this|(?:my|the|this) (?:answer|comment|response|candidate))\s+"
)
_HIGHEST = (
    r"(?:(?:a |the )?(?:10|100|5)\b|full (?:marks|scores?|points)|"
    r"(?:a |the )?(?:maximum|highest|max|top|perfect|best)(?: possible)? (?:scores?|marks?|grade|rating))"
)
_JUDGE = r"(?:judge|grader|evaluator|assessor|судь[яюеи]|оценщик\w?|проверяющ\w+)"
_SPEAKS = re.compile(
    rf"\b{_IGNORE}\s+{_WORDS}{_RULES}(?!\w)"
    rf"|\b{_GIVE}{_WORDS}{_HIGHEST}"
    r"|\b(?:give|rate|score|award|grade)\s+(?:\w+\s+){0,2}?(?:10|100|5)\s*(?:/|out of)\s*(?:10|100|5)\b"
    rf"|\b(?:постав(?:ь|ьте)|выстав(?:и|ите)|оцени(?:те)?)\s+{_WORDS}(?:10|100|5|максимальн\w+|высш\w+)(?!\w)"
    rf"|\b(?:dear|note to|attention|уважаем\w+|вниманию)\s+{_WORDS}{_JUDGE}(?!\w)"
    rf"|\byou are (?:the|a|an|now)\s+{_WORDS}{_JUDGE}(?!\w)",
    re.IGNORECASE,
)
# Each such sentence has one of these words. Searching for them first takes a tenth of the time.
_CUES = (
    *(
        "ignor",
        "disregard",
        "forget",
        "overrid",
        "give",
        "award",
        "grant",
        "assign",
        "rate",
        "score",
        "grade",
    ),
    *(
        "mark",
        "dear",
        "note to",
        "attention",
        "you are",
        "игнор",
        "забуд",
        "отброс",
        "постав",
        "выстав",
        "оцен",
    ),
    *("уважаем", "вниманию"),
)


def without_injection(text: str) -> tuple[str, str]:
    """Remove lines that address a judge. Returns the text, and the first such words, truncated."""
    lower = text.lower()
    found = list(_SPEAKS.finditer(text)) if any(word in lower for word in _CUES) else []
    if not found:
        return text, ""
    pieces, end = [], 0
    for match in found:
        if match.start() < end:
            continue
        line = text.rfind("\n", end, match.start()) + 1
        pieces.append(text[end : max(end, line)])
        after = text.find("\n", match.end())
        end = len(text) if after < 0 else after + 1
    return "".join([*pieces, text[end:]]).strip(), " ".join(found[0].group()[:LONGEST].split())

"""Remarks of a review in a model's answer: numbered, at most ten.

The form that is asked for is "Комментарий N: …". `remarks_by_mera` reads exactly this form, anywhere in the
text, like MERA's scorer (https://github.com/MERA-Evaluation/MERA_CODE, code_tasks/rucodereviewer).
"""

from __future__ import annotations

import re

from benchwright.text.bleu import bleu
from benchwright.text.chrf import chrf

MOST = 10
HEAD = "Комментарий"
REMARKS, BLEU, CHRF = "remarks", "bleu", "chrf"  # scores of an answer
_MERA = re.compile(rf"{HEAD} \d+:")
_HEAD = re.compile(
    r"^[ \t>#*_-]{0,12}(?:комментарий|замечание|comment|remark)[ \t]{0,4}(?:№|#|n)?[ \t]{0,4}\d{1,3}"
    r"[ \t*_]{0,4}[:.)–—-][ \t*_]{0,4}",
    re.IGNORECASE | re.MULTILINE,
)
_ITEM = re.compile(r"^[ \t]{0,3}\d{1,3}[.)][ \t]{1,4}", re.MULTILINE)


def remarks_by_mera(text: str) -> list[str]:
    """Return the first ten remarks, stripped and without empty ones, which are counted as well.

    >>> remarks_by_mera("Вот: Комментарий 1: a\\nКомментарий 2: Комментарий 3: b")
    ['a', 'b']
    """
    return _stripped(_MERA.split(text)[1 : MOST + 1])


def remarks_in(text: str) -> list[str]:
    """Return at most ten remarks under headings in any case and language, else list items, else the text."""
    for heads in (_HEAD, _ITEM):
        if found := _stripped(heads.split(text)[1:]):
            return found[:MOST]
    return _stripped([text])


def numbered(remarks: list[str]) -> str:
    """Return remarks in the form that is asked for."""
    return "\n".join(f"{HEAD} {number}: {remark}" for number, remark in enumerate(remarks, 1))


def likeness(remarks: list[str], reference: str) -> dict[str, float]:
    """Return the greatest BLEU and the greatest chrF of a remark, from 0 to 1; 0 without a remark.

    As in MERA's scorer, the reference is the compared text and the remark stands for its reference, as the
    brevity penalty shows.
    """
    return {
        BLEU: max((bleu(reference, each) for each in remarks), default=0.0),
        CHRF: max((chrf([(reference, each)], words=0, limit=None) for each in remarks), default=0.0),
    }


def says_correct(text: str) -> bool:
    """Return whether a reply in plain words counts as `correct` in MERA's scorer: by its first or last word.

    So does "incorrect", which ends with it; `wrong` at either end is stronger.

    >>> says_correct(" Incorrect "), says_correct("correct, not wrong")
    (True, False)
    """
    reply = text.lower().strip()
    is_wrong, is_correct = (reply.startswith(word) or reply.endswith(word) for word in ("wrong", "correct"))
    return is_correct and not is_wrong


def _stripped(parts: list[str]) -> list[str]:
    return [each for part in parts if (each := part.strip())]

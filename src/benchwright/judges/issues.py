"""Rules for answers to an issue. They decide what needs no judgement; other answers stay undecided.

Decided as `wrong`: an answer that says nothing (score `nothing_said`), and a short one that only refuses
(score `refusal`). Other scores are from 0 to 1 and rank nothing: `overlap` is the share of words of the
nearest reference answer, `evidence` the share of citations that the question or a reference answer has too,
`later_facts` is 1 if the answer names a month after the question's that neither has.
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import NamedTuple

from benchwright.contracts import Extraction, IssueSpec, Judgement
from benchwright.contracts.specs import RULES_CANNOT_TELL
from benchwright.display.escape import escaped_name
from benchwright.judges.judge_registry import Resources
from benchwright.records import Outcome
from benchwright.text.refusals import is_refusal
from benchwright.text.words import similarity, stems, words

NOTHING_SAID, REFUSAL = "nothing_said", "refusal"  # scores of an answer that the rules decide
OVERLAP, EVIDENCE, LATER_FACTS = "overlap", "evidence", "later_facts"
READ = 1 << 13  # characters of a text that the rules read
REFERENCES = 20  # number of reasons, the strongest ones

_CITED = re.compile(r"https?://[^\s<>()\[\]\"'`]{3,300}|(?<![\w#&])#\d{1,7}\b|`[^`\n]{2,80}`")
_NAME = re.compile(r"[A-Za-z_][\w.:-]*")
_WORD = re.compile(r"[A-Za-z_]\w+")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_DATE = re.compile(
    r"(?<![\w.-])(?P<year>20\d\d)[-./](?P<month>0[1-9]|1[0-2])(?:[-./](?P<day>0[1-9]|[12]\d|3[01]))?(?![\w-])"
    rf"|\b(?P<name>{'|'.join(_MONTHS)}) (?:\d{{1,2}}(?:st|nd|rd|th)?,? )?(?P<named>20\d\d)\b",
    re.IGNORECASE,
)
_DAY = re.compile(r"(20\d\d|19\d\d)-(\d\d)-(\d\d)")


class _ReferenceFacts(NamedTuple):
    """Facts about question and references, computed once for all answers."""

    stems: list[Counter[str]]  # of each reference
    cited: frozenset[str]
    names: frozenset[str]
    dates: frozenset[tuple[int, int]]
    question_month: tuple[int, int] | None  # year and month


class IssueJudge:
    """Judges answers by rules, without delay: `wrong` or `undecided`."""

    spec = IssueSpec

    def __init__(self, resources: Resources) -> None:
        self._last: tuple[IssueSpec, _ReferenceFacts] | None = None

    def judge(self, taken: Extraction, spec: IssueSpec) -> Judgement:
        """Return the judgement, with the scores that the rules give."""
        text = taken.program[:READ]
        if not any(char.isalnum() for char in taken.program):
            return Judgement(
                outcome=Outcome.wrong, detail="the answer says nothing", scores={NOTHING_SAID: 1.0}
            )
        if is_refusal(taken.program):
            refusal = f"the answer refuses: {escaped_name(text)}"
            return Judgement(outcome=Outcome.wrong, detail=refusal, scores={REFUSAL: 1.0})
        scores, detail = _scores(text, self._known(spec))
        return Judgement(
            outcome=Outcome.undecided, detail="; ".join([RULES_CANNOT_TELL, *detail]), scores=scores
        )

    def _known(self, spec: IssueSpec) -> _ReferenceFacts:
        if self._last is None or self._last[0] is not spec:
            self._last = (spec, _known(spec))
        return self._last[1]


def _known(spec: IssueSpec) -> _ReferenceFacts:
    texts = [spec.question, spec.body, *(each.body for each in spec.references[:REFERENCES])]
    beginnings = [text[:READ] for text in texts]
    day = _DAY.match(spec.asked_at)
    return _ReferenceFacts(
        stems=[_counted(reference) for reference in beginnings[2:]],
        cited=frozenset(cited for text in beginnings for cited in _citations(text)),
        names=frozenset(name for text in beginnings for name in _WORD.findall(text)),
        dates=frozenset(month for text in beginnings for month in _months(text)),
        question_month=(int(day[1]), int(day[2])) if day and _is_day(day) else None,
    )


def _scores(text: str, known: _ReferenceFacts) -> tuple[dict[str, float], list[str]]:
    counts = _counted(text)
    scores = {OVERLAP: round(max((similarity(each, counts) for each in known.stems), default=0.0), 4)}
    detail = []
    if cited := _citations(text):
        missing = [one for one in cited if not _resolves(one, known)]
        scores[EVIDENCE] = round(1 - len(missing) / len(cited), 4)
        if missing:
            detail.append(f"cites what neither question nor references hold: {escaped_name(missing[0])}")
    later = next((found for found in _months(text) if _is_later(found, known)), None)
    if later:
        scores[LATER_FACTS] = 1.0
        detail.append(f"names {later[0]}-{later[1]:02}, which is after the question")
    return scores, detail


def _counted(text: str) -> Counter[str]:
    return Counter(stems(words(text)))


def _citations(text: str) -> list[str]:
    """Return the citations in a text, each once: addresses, issue numbers, and names in backticks."""
    found = (each.strip("`").rstrip(".,;:").removesuffix("()") for each in _CITED.findall(text))
    return list(
        dict.fromkeys(each for each in found if each[:1] == "#" or "://" in each or _NAME.fullmatch(each))
    )


def _resolves(cited: str, known: _ReferenceFacts) -> bool:
    """Return whether a citation is in the question or a reference: as cited, or each part of a dotted
    name."""
    if cited in known.cited:
        return True
    is_name = cited[:1] != "#" and "://" not in cited
    return is_name and all(part in known.names for part in _WORD.findall(cited))


def _months(text: str) -> list[tuple[int, int]]:
    """Return year and month of each date in a text."""
    return [
        (int(each["named"]), _MONTHS.index(each["name"].lower()) + 1)
        if each["name"]
        else (int(each["year"]), int(each["month"]))
        for each in _DATE.finditer(text)
    ]


def _is_later(found: tuple[int, int], known: _ReferenceFacts) -> bool:
    return known.question_month is not None and found > known.question_month and found not in known.dates


def _is_day(found: re.Match[str]) -> bool:
    try:
        date(int(found[1]), int(found[2]), int(found[3]))
    except ValueError:
        return False
    return True

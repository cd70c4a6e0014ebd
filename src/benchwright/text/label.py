"""Reads a label, success or failed, from what a model said about a test.

"tolerant" understands people and models; "mera-exact" is MERA's rule, quirks kept, for comparable scores.
The rules and what was decided against are in docs/design/14-codecorrectness.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from benchwright.contracts import Extraction
from benchwright.records import Outcome, Record
from benchwright.text.extract import CUT_OFF
from benchwright.text.label_statement import BOTH, Statement, read_phrase, read_statement
from benchwright.text.label_words import (
    BOXED,
    CODE,
    CUES,
    FAILED,
    FENCED,
    OBJECT,
    SUCCESS,
    TAGGED,
    readable_end,
    sentences_by_line,
)
from benchwright.text.normalisation import drop_marks, normalise, strip_reasoning

LABELS = (SUCCESS, FAILED)
Rule = Literal["tolerant", "mera-exact"]
RULES: Mapping[str, Rule] = {"strict": "tolerant", "mera-exact": "mera-exact"}  # by scoring profile

_KEYS = CUES | {"final_answer", "result", "outcome", "результат"}
_SAYS_SUCCESS = frozenset({"success", "passed", "pass", "passes", "successful"})
_SAYS_FAILED = frozenset({"failed", "fail", "fails", "failure"})


class Label(Record, frozen=True, kw_only=True):
    """The label of an answer: `value` is None if there is no clear label. `why` is for people."""

    value: str | None
    rule: str  # "tolerant+bare", "tolerant+none", "mera-exact"
    why: str


def read_label(text: str, *, rule: Rule = "tolerant") -> Label:
    """The label in a model's raw answer. Never raises.

    >>> read_label("**Success**").value, read_label("The test will not pass.").value
    ('success', 'failed')
    >>> read_label("success or failed").value is None
    True
    """
    if rule == "mera-exact":
        return _exact(text)
    return _tolerant(drop_marks(strip_reasoning(normalise(text)).text))


def take_label(text: str, *, profile: str, finish_reason: str | None = None) -> Extraction:
    """A label as a track hands it on: `program` is the label, `problem` says that there is none.

    `truncated` if the server reports it or reasoning never ended. A label in a truncated answer still
    counts.
    """
    cut = finish_reason in CUT_OFF
    if RULES[profile] == "mera-exact":
        found = _exact(text)
    else:
        stripped = strip_reasoning(normalise(text))
        found, cut = _tolerant(drop_marks(stripped.text)), cut or stripped.truncated
    return Extraction(
        program=found.value or "",
        rule=found.rule,
        problem=None if found.value else Outcome.unparsable.value,
        detail=found.why,
        truncated=cut,
    )


def _exact(text: str) -> Label:
    """MERA's rule: which of the two words is a part of the text, so that "unsuccessful" says success."""
    found = [label for label in LABELS if label in text]
    if len(found) == 1:
        return Label(value=found[0], rule="mera-exact", why=f"the text holds `{found[0]}`")
    why = "the text holds both `success` and `failed`" if found else "the text holds neither word"
    return Label(value=None, rule="mera-exact", why=why)


def _tolerant(text: str) -> Label:
    text = readable_end(text)
    return _marked_label(text) or _stated_label(list(_statements(text)))


def _marked_label(text: str) -> Label | None:
    """The last answer in a box, a tag or a JSON field; None where there is none that says a label."""
    found: list[tuple[int, str, str, str]] = []
    for match in BOXED.finditer(text):
        found.append((match.start(), "boxed", match.group(), read_phrase(match.group(1)) or ""))
    for match in TAGGED.finditer(text):
        found.append((match.start(), "tag", match.group(), read_phrase(match.group(2)) or ""))
    for match in OBJECT.finditer(text):
        found.append((match.start(), "json", match.group(), _field(match.group())))
    labelled = [each for each in found if each[3]]
    if not labelled:
        return None
    _, rule, excerpt, label = max(labelled)
    return _contradiction(excerpt, rule) if label == BOTH else _make_label(label, rule, excerpt)


def _field(text: str) -> str:
    """The label in a JSON object of one level; "" where no field says one."""
    try:
        data = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return ""
    labels = {label for name, value in data.items() if (label := _field_label(name.lower(), value))}
    return labels.pop() if len(labels) == 1 else BOTH if labels else ""


def _field_label(name: str, value: Any) -> str | None:
    if isinstance(value, bool):
        positive = SUCCESS if value else FAILED
        negative = FAILED if value else SUCCESS
        return positive if name in _SAYS_SUCCESS else negative if name in _SAYS_FAILED else None
    return read_phrase(value) if isinstance(value, str) and name in _KEYS else None


def _statements(text: str) -> Iterator[Statement]:
    """The statements of a text in order, code left out."""
    prose = CODE.sub(_inline, FENCED.sub(_block, text))
    for sentences in sentences_by_line(prose):
        for sentence in sentences:
            read = read_statement(sentence)
            alone = len(sentences) == 1 and read.rule in ("bare", "cue")
            yield msgspec.structs.replace(read, pure=True) if alone else read


def _block(match: re.Match[str]) -> str:
    """A fenced block is an answer when it holds nothing but a label; else it is code."""
    content = match.group(1) if match.group(1) is not None else match.group(2)
    return f"\n{content}\n" if _is_label(content) else "\n□\n"


def _inline(match: re.Match[str]) -> str:
    return f" {match.group(1)} " if _is_label(match.group(1)) else " □ "


def _is_label(text: str) -> bool:
    """Whether a piece of marked text is an answer; an assignment is code, whatever it assigns."""
    if len(text) > 60 or "=" in text:
        return False
    read = read_statement(text)
    return read.label is not None and read.rule in ("bare", "cue")


def _stated_label(statements: Sequence[Statement]) -> Label:
    """The last plain answer, else the last statement that says anything."""
    plain = [each for each in statements if each.label and each.is_plain]
    if not plain:
        labelled = [each for each in statements if each.label]
        if not labelled:
            return Label(value=None, rule="tolerant+none", why=_why_no_label(statements))
        plain = labelled[-1:]
    last = plain[-1]
    if last.label is None or last.label == BOTH:
        return _contradiction(last.text, last.rule)
    if len(plain) > 1 and _contradicts(statements, plain[-2], last):
        return _contradiction(f"{plain[-2].text} / {last.text}", last.rule)
    return _make_label(last.label, last.rule, last.text)


def _contradicts(statements: Sequence[Statement], first: Statement, last: Statement) -> bool:
    """Two answers, one after the other, that say the opposite, the second not as a correction."""
    at = next(n for n, each in enumerate(statements) if each is last)
    adjacent = at > 0 and statements[at - 1] is first
    return adjacent and first.pure and last.pure and first.label != last.label and not last.corrects


def _why_no_label(statements: Sequence[Statement]) -> str:
    option_texts = [each.text for each in statements if each.options]
    if option_texts:
        return f"only names the labels to choose from: {_short(option_texts[-1])}"
    return "no statement says whether the test passes"


def _make_label(label: str, rule: str, text: str) -> Label:
    return Label(value=label, rule=f"tolerant+{rule}", why=f"read `{label}` in: {_short(text)}")


def _contradiction(text: str, rule: str) -> Label:
    return Label(value=None, rule=f"tolerant+{rule}", why=f"says both success and failed: {_short(text)}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}..."

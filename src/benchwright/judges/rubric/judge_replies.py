"""Parse the reply of a model judge by its rubric, and group models by family.

The last whole JSON object of the text counts. Of two whole objects that both fit the rubric and differ,
neither counts: one may be a quotation. A reply is as hostile as an answer, which may have dictated it: its
brackets are scanned once, length and depth are bounded, and anything that does not fit the rubric exactly is
unparsable. Families are found by name, and a doubt raises the flag: a model distilled from two families
belongs to both, and an unknown model is its own family without size, date and edition.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from benchwright.asking.schema import fault_of
from benchwright.errors import DataError
from benchwright.judges.rubric.rubrics import BEST, Rubric, read_reply_schema
from benchwright.store.strict_json import JsonOrigin, parse_object
from benchwright.text.normalisation import strip_reasoning
from benchwright.text.remarks import says_correct

MAX_REPLY = 1 << 18  # characters
MAX_DEPTH = 8
MAX_BRACKETS, MAX_PASSES = 1000, 16  # possible starts of an object, and scans of the text
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*"|[{}\[\]]', re.DOTALL)
_BEGUN = re.compile(r'\{\s*"')  # the start of an object, as opposed to a bracket in prose
_UNENDED = "its JSON object does not end"
_PLACE = JsonOrigin("", 0)


class JudgeReply(NamedTuple):
    """The content of one reply. `problem`: why it has none; then all else is empty."""

    problem: str = ""
    scores: dict[str, float] = {}  # by criterion, from 0 to 1
    ratings: dict[str, int] = {}  # as given, from 1 to 5
    label: str = ""
    reference: int | None = None  # from 1
    reasons: dict[str, str] = {}
    evidence: tuple[str, ...] = ()
    contradicts_itself: bool = False


def read_reply(text: str, rubric: Rubric, *, references: int = 0) -> JudgeReply:
    """Return the content of a reply by a rubric, for a number of displayed reference answers. Never
    raises."""
    if rubric.kind == "words":
        return JudgeReply(label="correct" if says_correct(text) else "wrong")
    earlier = list[dict[str, Any]]()
    found = _last_object(text, earlier)
    if isinstance(found, str):
        return JudgeReply(problem=found)
    schema = read_reply_schema(rubric.name, rubric.language, references)
    if fault := fault_of(found, schema):
        return JudgeReply(problem=fault)
    reply = _reply(found, rubric)
    others = [_reply(each, rubric) for each in earlier if not fault_of(each, schema)]
    if any(_decision(other) != _decision(reply) for other in others):
        return JudgeReply(problem="the reply holds two whole judgements that contradict each other")
    return reply


def _reply(found: dict[str, Any], rubric: Rubric) -> JudgeReply:
    return _rated(found, rubric) if rubric.kind == "rates" else _labelled(found, rubric)


def _decision(reply: JudgeReply) -> tuple[object, ...]:
    return reply.scores, reply.label, reply.reference


def _rated(found: dict[str, Any], rubric: Rubric) -> JudgeReply:
    """Scale a rating between the worst and the best; claims are half of their criterion's value."""
    ratings = {name: int(found[name]) for name in rubric.criteria}
    scores = {name: (rating - 1) / (BEST - 1) for name, rating in ratings.items()}
    verdicts = [each["verdict"] for each in found.get("claims", [])]
    supported, broken = verdicts.count("supported"), verdicts.count("contradicted")
    if supported + broken:
        scores[rubric.claims] = (scores[rubric.claims] + supported / (supported + broken)) / 2
    return JudgeReply(
        scores=scores,
        ratings=ratings,
        reasons=dict(found["reasons"]),
        evidence=tuple(found["evidence"]),
        contradicts_itself=bool(broken) and ratings[rubric.claims] == BEST,
    )


def _labelled(found: dict[str, Any], rubric: Rubric) -> JudgeReply:
    reference = found.get("reference")
    return JudgeReply(
        label=found["label"],
        reference=None if reference is None else int(reference),
        reasons={rubric.name: found["reason"]},
        evidence=tuple(found["evidence"]),
    )


def _last_object(text: str, earlier: list[dict[str, Any]]) -> dict[str, Any] | str:
    """Return the last object, or why there is none; whole ones before it are added to `earlier`.

    A broken object that starts after a whole one counts as the last: the earlier one may be a quotation.
    Nothing is searched within a broken one, which may quote the judged answer.
    """
    if len(text) > MAX_REPLY:
        return f"the reply has {len(text):,} characters, more than {MAX_REPLY:,}"
    reply = strip_reasoning(text).text
    if not reply.strip():
        return "the reply is empty"
    last: dict[str, Any] | str = "the reply holds no JSON object"
    start, brackets, left = reply.find("{"), 0, MAX_PASSES * len(reply)
    while start >= 0:
        place = _span(reply, start)
        brackets, left = brackets + 1, left - (place.seen - start)
        if brackets > MAX_BRACKETS or left < 0:
            return "the reply holds too many brackets to find its JSON object"
        found = _parsed(reply[start : place.end]) if place.end else _UNENDED
        opening = _BEGUN.match(reply, start)
        if opening or isinstance(found, dict):
            earlier += [last] if isinstance(last, dict) else []
            last = found
        after = (place.end or len(reply)) if opening else place.end if isinstance(found, dict) else start + 1
        start = reply.find("{", after)
    return last


class _Span(NamedTuple):
    end: int  # position after the closing bracket; 0 without one, or if it is nested too deeply
    seen: int  # position that the search reached


def _span(text: str, start: int) -> _Span:
    """Return the end of the bracket that opens at `start`."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if (bracket := token[0]) in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                return _Span(0, token.end())
        elif bracket in "}]":
            depth -= 1
            if not depth:
                return _Span(token.end(), token.end())
    return _Span(0, len(text))


def _parsed(text: str) -> dict[str, Any] | str:
    """Return the object that the text is, or why it is none."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        return parse_object(data, _PLACE, max_depth=MAX_DEPTH, surrogates="replace")
    except DataError as error:
        return error.message.partition(": ")[2].removeprefix("not JSON: ")


_WORDS: Mapping[str, tuple[str, ...]] = {
    "claude": ("claude",),
    "cohere": ("command", "aya", "c4ai"),
    "deepseek": ("deepseek",),
    "falcon": ("falcon",),
    "gemini": ("gemini", "gemma", "codegemma", "palm"),
    "gigachat": ("gigachat",),
    "glm": ("glm", "chatglm", "codegeex"),
    "gpt": ("gpt", "chatgpt", "codex", "davinci", "o1", "o3", "o4"),
    "granite": ("granite",),
    "grok": ("grok",),
    "kimi": ("kimi", "moonshot"),
    "llama": ("llama", "codellama", "vicuna", "alpaca", "nemotron"),
    "mistral": ("mistral", "mixtral", "codestral", "ministral", "devstral", "magistral", "pixtral"),
    "olmo": ("olmo",),
    "phi": ("phi",),
    "qwen": ("qwen", "codeqwen", "qwq", "qvq"),
    "starcoder": ("starcoder", "starchat", "santacoder"),
    "yandexgpt": ("yandexgpt",),
    "yi": ("yi",),
}
_FAMILY = {word: family for family, words in _WORDS.items() for word in words}
_EDITION = re.compile(
    r"v?\d+|\d*x?\d+[bmk]|(?:b?f|fp|int|q|w|a)\d+|latest|preview|exp|instruct|chat|it|base|hf|gguf|awq|gptq|"
    r"mini|nano|tiny|small|medium|large|lite|pro|plus|max|turbo|fast"
)
MAX_NAME = 200


def families(name: str) -> frozenset[str]:
    """Return the families that a model's name indicates, such as "openai/gpt-4o-2024-08-06"; none if unknown.

    >>> sorted(families("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B"))
    ['deepseek', 'qwen']
    """
    base = name[:MAX_NAME].lower().rstrip("/").rpartition("/")[2]
    pieces = [each for each in re.split(r"[^a-z0-9]+", base) if each]
    known = {_FAMILY.get(word) for piece in pieces for word in (piece, piece.rstrip("0123456789"))} - {None}
    if known:
        return frozenset(each for each in known if each)
    rest = "-".join(each for each in pieces if not _EDITION.fullmatch(each)) or "-".join(pieces)
    return frozenset({rest} if rest else ())


def one_family(one: str, other: str) -> bool:
    """Return whether both names can be of models of one family."""
    return bool(families(one) & families(other))

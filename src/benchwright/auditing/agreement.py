"""Agreement of programs with each other and with the canonical solution, by their results.

Programs that fail and agree are not necessarily right: people and models make the same mistakes. So agreement
counts only if it is not that of a constant or a returned argument, and if one of these holds: the values
equal those of the canonical solution but for order, rounding, container or spelling; no answer passes; or
more answers agree with each other than pass, and they mostly agree with the canonical solution too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from benchwright.building.adequacy.counterexamples import GeneratedInputs, Reply, is_different
from benchwright.building.adequacy.generated_inputs import Arguments
from benchwright.sandbox.codec import CodecError, decode
from benchwright.text.literal import source_text

LEAST = 2  # distinct programs that agree
LEAST_CALLS = 4  # calls on which they agree
DIGITS = 9  # digits of a float that must agree
P = TypeVar("P")
ProgramReplies = tuple[P, list[Reply]]


def agreeing(ended: Sequence[ProgramReplies[P]], grown: GeneratedInputs) -> list[ProgramReplies[P]]:
    """The largest group of at least two programs with the same results for every call; the first of
    equals.
    """
    groups: dict[tuple[str, ...], list[ProgramReplies[P]]] = {}
    for each in ended:
        if len(each[1]) == len(grown.calls):
            groups.setdefault(tuple(map(_plain, each[1])), []).append(each)
    sound = [group for group in groups.values() if len(group) >= LEAST and not _is_idle(group[0][1], grown)]
    return max(sound, key=len, default=[])


def is_agreement(replies: Sequence[Reply], grown: GeneratedInputs, *, agreeing: int, passing: int) -> str:
    """Why this agreement says something about the tests; empty if it does not."""
    if len(grown.calls) < LEAST_CALLS:
        return ""
    if _is_loosely_gold(replies, grown) and 2 * agreeing >= passing:
        return "they give what the gold gives but for order, rounding, container or spelling"
    if not passing:
        return "no answer passes"
    same = sum(not is_different(gold, reply) for gold, reply in zip(grown.gold, replies, strict=True))
    if agreeing > passing and 2 * same >= len(grown.calls):
        return f"only {passing} pass, and on {same} of {len(grown.calls)} calls they give what the gold gives"
    return ""


def likely_wrong(as_gold: int, as_other: int, passing: int) -> str:
    """The side that most accepted answers contradict, "gold" or "other"; empty without a majority."""
    if as_other >= LEAST and 2 * as_other > passing:
        return "gold"
    return "other" if as_gold >= LEAST and 2 * as_gold > passing else ""


def is_same(one: Reply, other: Reply) -> bool:
    """Whether two replies are equal to nine digits, or exceptions of one type."""
    return _plain(one) == _plain(other)


def _plain(reply: Reply) -> str:
    """The comparison key of a reply: a value to nine digits, or the type of an exception."""
    kind, payload = reply
    if kind == "value":
        return source_text(_rounded(_value(payload), DIGITS))
    if kind == "exception":
        return "raises " + payload.decode("utf-8", "replace").partition(":")[0]
    return f"{kind} {payload.hex()}"


def _value(payload: bytes) -> Any:
    try:
        return decode(payload)
    except CodecError:
        return payload


def _rounded(value: Any, digits: int) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        short = float(f"{value:.{digits}g}")
        return int(short) if short.is_integer() else short
    if isinstance(value, dict):
        pairs = [(_rounded(key, digits), _rounded(each, digits)) for key, each in value.items()]
        return "dict", sorted(pairs, key=source_text)
    if isinstance(value, set | frozenset):
        return "set", sorted((_rounded(each, digits) for each in value), key=source_text)
    return type(value)(_rounded(each, digits) for each in value) if isinstance(value, list | tuple) else value


def _is_idle(replies: Sequence[Reply], grown: GeneratedInputs) -> bool:
    """Whether the programs behave like a stub."""
    plain = [_plain(each) for each in replies]
    if len(set(plain)) < 2:
        return True
    return any(
        all(_handed_back(call, at) == each for call, each in zip(grown.calls, plain, strict=True))
        for at in range(min(len(_arguments(call)) for call in grown.calls))
    )


def _handed_back(call: Arguments, at: int) -> str:
    return source_text(_rounded(_arguments(call)[at], DIGITS))


def _arguments(call: Arguments) -> list[Any]:
    return [*call.args, *call.kwargs.values()]


def _is_loosely_gold(replies: Sequence[Reply], grown: GeneratedInputs) -> bool:
    return all(
        kind == "value" and _loose(_value(payload)) == _loose(_value(gold))
        for (kind, payload), gold in zip(replies, grown.gold, strict=True)
    )


def _loose(value: Any) -> str:
    """A value without its order, last digits, container types, and the case of its texts."""
    if isinstance(value, str):
        return "".join(char for char in value.casefold() if char.isalnum())
    if isinstance(value, dict):
        return source_text(sorted(_loose(each) for each in value.items()))
    if isinstance(value, list | tuple | set | frozenset):
        return source_text(sorted(_loose(each) for each in value))
    return source_text(_rounded(value, 3))

"""Content keys, and the identity of a run: what the same content is called, and when two runs are one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from json.encoder import encode_basestring
from typing import Any

from benchwright.display.escape import escaped_name

# Content keys: the same content gives the same short name, on every machine and in every version. The
# stored form of a key is 32 hex digits, so that a person can paste it and `grep` finds it.

# The standard library's encoder, not msgspec's: a key must never change because a library was
# updated, and msgspec refuses the lone surrogates that a hostile answer may hold.
_ENCODE = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


def canonical(value: object) -> bytes:
    """The one spelling of a JSON value that is hashed: sorted keys, no spaces, UTF-8.

    Raises ValueError for NaN and infinities, and TypeError for what JSON cannot hold: a key over
    such a value would not be the same everywhere.
    """
    return _ENCODE(value).encode("utf-8", "surrogatepass")


def content_key(*parts: object) -> str:
    """The content key of some JSON values: 128 bits of SHA-256, as 32 hex digits.

    >>> content_key({"b": 1, "a": 2}) == content_key({"a": 2, "b": 1})
    True
    """
    return _digest(f"[{','.join(map(_spelled, parts))}]")


def ending_with(*last: object) -> Callable[..., str]:
    """`content_key` of some parts and then always the same last ones, which are spelled only once.

    >>> ending_with({"b": 1}, "x")("a") == content_key("a", {"b": 1}, "x")
    True
    """
    spelled = "".join(f",{_spelled(part)}" for part in last)
    return lambda *parts: _digest(f"[{','.join(map(_spelled, parts))}{spelled}]")


def _spelled(value: object) -> str:
    """One part as `canonical` has it; an encoder of its own for each text would cost more than the hash."""
    if type(value) is str:
        return encode_basestring(value)
    return str(value) if type(value) is int else _ENCODE(value)


@cache
def _sha256() -> Callable[[bytes], Any]:
    from hashlib import sha256  # noqa: PLC0415 (5 ms, and workers make no keys)

    return sha256


def _digest(text: str) -> str:
    digest: str = _sha256()(text.encode("utf-8", "surrogatepass")).hexdigest()
    return digest[:32]


def compact(key: str) -> bytes:
    """A key as a set member in half the memory; keys of another spelling are kept as they are.

    >>> len(compact(content_key("x")))
    16
    """
    try:
        return bytes.fromhex(key)
    except ValueError:
        return key.encode("utf-8", "surrogatepass")


# When a run folder may be resumed. A run's identity holds everything that decides its answers and verdicts.
# Two identities mean the same run even where they differ in:
#
# - `base_url`: where a model is served decides nothing. Only folders of earlier versions record it.
# - `judging` and `python`, the judging rules: they decide no answers, only verdicts. Answers are kept and
#   judged again; rules newer than this version's are refused, because this version does not know them.
# - `judges`, the model judges that assessed the answers: a resumed run may add some, see `running.taking_up`.

ADDRESS = "base_url"
RULES = ("judging", "python")
JUDGES = "judges"


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """What makes `wanted` another run than `found`, as `name: was …, now …`; empty for one run."""
    fields = _differing(without_rules(found), without_rules(wanted), "")
    return [*fields, *_later_rules(found, wanted)]


def rules_of(identity: Mapping[str, Any]) -> dict[str, Any]:
    """By which rules verdicts are made."""
    return {name: identity.get(name) for name in RULES}


def without_rules(identity: Mapping[str, Any]) -> dict[str, Any]:
    """All of an identity that is the same whoever judges, by whichever version."""
    return {name: value for name, value in identity.items() if name not in (*RULES, JUDGES)}


def address_of(manifest: Mapping[str, Any]) -> str:
    """Where a run's model was last served; empty where that is not known.

    Earlier versions wrote it into the identity.
    """
    model = manifest["identity"].get("model")
    named = manifest.get(ADDRESS) or (model.get(ADDRESS) if isinstance(model, dict) else None)
    return named if isinstance(named, str) else ""


def _differing(found: Any, wanted: Any, field: str) -> Iterator[str]:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in sorted({*found, *wanted}):
            if name != ADDRESS or name in wanted:
                yield from _differing(found.get(name), wanted.get(name), f"{field}.{name}".lstrip("."))
    elif found != wanted:
        yield f"`{field}` was {escaped_name(repr(found))}, now {escaped_name(repr(wanted))}"


def _later_rules(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    was, now = found.get("judging"), wanted.get("judging")
    if isinstance(was, int) and isinstance(now, int) and was > now:
        return [f"`judging` was {was}, which a later version of this program made, now {now}"]
    return []

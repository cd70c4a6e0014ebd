"""Content keys of tasks, prompts, answers and verdicts, identities of runs, and a compact set of keys."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from benchwright.display.escape import escaped_name

if TYPE_CHECKING:  # records load msgspec, and a small device makes keys
    from benchwright.records import KeyedRow, TaskId

# Content keys: the same content gives the same short name, on every machine and in every version. The
# stored form of a key is 32 hex digits, so that a person can paste it and `grep` finds it.

# The standard library's encoder, not msgspec's: a key must never change because a library was
# updated, and msgspec refuses the lone surrogates that a hostile answer may hold.
_ENCODE = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, check_circular=False
).encode


def canonical(value: object) -> bytes:
    """The canonical JSON of a value, which is hashed: sorted keys, no spaces, UTF-8.

    Raises ValueError for NaN and infinities, and TypeError for other values that JSON cannot represent:
    their keys could differ between machines.
    """
    return _ENCODE(value).encode("utf-8", "surrogatepass")


def content_key(*parts: object) -> str:
    """The content key of some JSON values: 128 bits of SHA-256, as 32 hex digits.

    >>> content_key({"b": 1, "a": 2}) == content_key({"a": 2, "b": 1})
    True
    """
    return _digest(f"[{','.join(map(_spelled, parts))}]")


def ending_with(*last: object) -> Callable[..., str]:
    """Return a function like `content_key` whose last parts are fixed, and encoded only once.

    >>> ending_with({"b": 1}, "x")("a") == content_key("a", {"b": 1}, "x")
    True
    """
    spelled = "".join(f",{_spelled(part)}" for part in last)
    return lambda *parts: _digest(f"[{','.join(map(_spelled, parts))}{spelled}]")


def _spelled(value: object) -> str:
    """Encode one part like `canonical`; a separate encoder for each text would cost more than the hash."""
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
    """A key as bytes, in half the memory; a key of another form is returned unchanged.

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
# - `judges`, the model judges that assessed the answers: a resumed run may add some, see
#   `running.run_folders`.

ADDRESS = "base_url"
RULES = ("judging", "python")
JUDGES = "judges"


def differences(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Return the fields in which `wanted` differs from `found`, as `name: was …, now …`; empty if equal."""
    fields = _differing(without_rules(found), without_rules(wanted), "")
    return [*fields, *_later_rules(found, wanted)]


def rules_of(identity: Mapping[str, Any]) -> dict[str, Any]:
    """By which rules verdicts are made."""
    return {name: identity.get(name) for name in RULES}


def without_rules(identity: Mapping[str, Any]) -> dict[str, Any]:
    """The part of an identity that does not depend on the judge and its version."""
    return {name: value for name, value in identity.items() if name not in (*RULES, JUDGES)}


def address_of(manifest: Mapping[str, Any]) -> str:
    """The address at which a run's model was last served; empty if it is unknown.

    Earlier versions wrote it into the identity.
    """
    model = manifest["identity"].get("model")
    address = manifest.get(ADDRESS) or (model.get(ADDRESS) if isinstance(model, dict) else None)
    return address if isinstance(address, str) else ""


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


_FULL = 0.75  # of the places: where more are taken, a search gets long
_LEAST = 64  # places
_MASK = (1 << 64) - 1


class KeySet:
    """A compact set of rows, each identified by its key and its task.

    Two tasks of equal content have equal keys, so the task counts too. A row is stored as 64 bits of a hash
    in one table (open addressing, linear probing: Knuth, volume 3, section 6.4), whose memory is returned to
    the operating system by `clear`. The probability that any of a million rows is mistaken for one of a
    million others is below 1e-7 (n·m / 2**64); the run then reports a missing answer. `room` is the expected
    number of rows; for more rows, the table is copied to a larger one.

    >>> known = KeySet([("a", "Task/1")])
    >>> ("a", "Task/1") in known, ("a", "Task/2") in known, len(known)
    (True, False, 1)
    """

    def __init__(self, rows: Iterable[KeyedRow] = (), *, room: int = 0) -> None:
        self._table, self._count = _empty(room), 0
        for key, task_id in rows:
            self.add(key, task_id)

    def __len__(self) -> int:
        return self._count

    def __contains__(self, row: KeyedRow) -> bool:
        return self._table[self._place(_mark(*row))] != 0

    def add(self, key: str, task_id: TaskId) -> None:
        """Add a row, if it is not in the set yet."""
        if self._count >= _FULL * len(self._table):
            self._grow()
        mark = _mark(key, task_id)
        at = self._place(mark)
        if not self._table[at]:
            self._table[at] = mark
            self._count += 1

    def clear(self) -> None:
        """Remove all rows."""
        self._table, self._count = _empty(0), 0

    def _place(self, mark: int) -> int:
        """The index of a hash, or of the free place where it would be stored."""
        table, size = self._table, len(self._table)
        at = mark % size
        while (found := table[at]) and found != mark:
            at = at + 1 if at + 1 < size else 0
        return at

    def _grow(self) -> None:
        before, self._table = self._table, _empty(self._count + self._count // 2)
        for mark in before:
            if mark:
                self._table[self._place(mark)] = mark


def _empty(room: int) -> array[int]:
    """Return a table for a number of rows. 0 marks a free place."""
    return array("Q", [0]) * (_LEAST + int(room / _FULL))


def _mark(key: str, task_id: TaskId) -> int:
    """64 bits of a hash of a row, valid in this process only."""
    return hash(f"{key} {task_id!r}") & _MASK or 1

"""Records as JSON: short in files, whole where every key is always there."""

from __future__ import annotations

import msgspec

from benchwright.records import Metric, Record, SelfCheck, full_document


class Nested(Record, frozen=True, kw_only=True):
    """A record with records in it, at their default or not."""

    name: str
    metrics: dict[str, Metric] = {}
    pair: tuple[int, ...] = ()
    notes: list[str] = []


METRIC = Metric(value=0.5, low=0.25, high=0.75, n=8, samples=1)


def test_a_record_leaves_defaults_out() -> None:
    """A file of a million answers does not say a million times what is not there."""
    assert msgspec.json.encode(Nested(name="a")) == b'{"name":"a"}'


def test_whole_has_every_field_in_order() -> None:
    """Also in records within lists and dicts, those at their default included."""
    numbers = {"value": 0.5, "low": 0.25, "high": 0.75, "n": 8, "samples": 1}
    made = full_document([Nested(name="a"), Nested(name="b", metrics={"m": METRIC}, pair=(1, 2))])

    assert made == [
        {"name": "a", "metrics": {}, "pair": [], "notes": []},
        {"name": "b", "metrics": {"m": numbers}, "pair": [1, 2], "notes": []},
    ]
    assert list(made[1]) == ["name", "metrics", "pair", "notes"]


def test_whole_of_a_flat_record_is_what_msgspec_makes_of_it() -> None:
    """So either may be used for one; plain values are themselves."""
    check = SelfCheck(**dict.fromkeys(SelfCheck.__struct_fields__, 0))

    assert (full_document(check), full_document("a"), full_document(None)) == (
        msgspec.structs.asdict(check),
        "a",
        None,
    )

"""Identities that mean the same run."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.store.keys import address_of, differences, rules_of, without_rules

IDENTITY: dict[str, Any] = {
    "track": "humaneval",
    "form": "default",
    "data": "d" * 64,
    "excluded": [],
    "limit": 5,
    "prompts": {"design": "spread", "language": "ru", "form": "chat"},
    "model": {"scheme": "openai", "name": "m", "temperature": 0.6, "seed": 1234, "stop": [], "body": {}},
    "n": 10,
    "profile": "strict",
    "limits": {"cpu_s": 3.0, "memory_mb": 1024},
    "judging": 2,
    "python": "3.11",
}
PLACES = [
    *((name,) for name in IDENTITY if name not in ("judging", "python", "model", "prompts", "limits")),
    *((outer, name) for outer in ("model", "prompts", "limits") for name in IDENTITY[outer]),
]


def changed(place: tuple[str, ...], value: Any, identity: dict[str, Any] = IDENTITY) -> dict[str, Any]:
    """Return the identity with another value in one place."""
    name, *rest = place
    return {**identity, name: changed(tuple(rest), value, identity[name]) if rest else value}


@given(st.text(), st.text())
def test_an_address_makes_no_other_run(address: str, other: str) -> None:
    """A folder with an address is resumed from any address, but not the reverse."""
    earlier = changed(("model", "base_url"), address)

    assert differences(earlier, IDENTITY) == []
    assert bool(differences(earlier, changed(("model", "base_url"), other))) == (address != other)
    assert "`model.base_url` was None" in differences(IDENTITY, earlier)[0]


@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_every_other_field_makes_another_run(place: tuple[str, ...]) -> None:
    """The error has the dotted name, in either direction."""
    values: tuple[Any, ...] = ("another", None, 7.5, ["x"], {"x": 1})
    for value in values:
        other = changed(place, value)
        found = differences(IDENTITY, other), differences(other, IDENTITY)

        assert all(any(f"`{place[0]}" in line for line in lines) for lines in found), value


@pytest.mark.parametrize("place", PLACES, ids=".".join)
def test_a_missing_field_makes_another_run(place: tuple[str, ...]) -> None:
    """A missing limit is not a limit of five."""
    *outer, name = place
    holder = IDENTITY[outer[0]] if outer else IDENTITY
    rest = {key: value for key, value in holder.items() if key != name}
    other = {**IDENTITY, outer[0]: rest} if outer else rest

    assert differences(IDENTITY, other) and differences(other, IDENTITY)


@pytest.mark.parametrize(
    ("rules", "one"),
    [
        ({"judging": 1}, True),
        ({"python": "3.9"}, True),
        ({"python": "3.14"}, True),
        ({"judging": 1, "python": "3.13"}, True),
        ({"judging": None}, True),
        ({"judging": 3}, False),
    ],
)
def test_other_rules_keep_the_answers(rules: dict[str, Any], one: bool) -> None:
    """Rules of a later version are unknown here, so earlier ones cannot replace them."""
    found = differences({**IDENTITY, **rules}, IDENTITY)

    assert (found == [], "a later version" in str(found)) == (one, not one)


def test_rules_are_the_rest_of_what_is_the_same() -> None:
    """Each field is in exactly one of the two."""
    assert {**rules_of(IDENTITY), **without_rules(IDENTITY)} == IDENTITY
    assert rules_of(IDENTITY) == {"judging": 2, "python": "3.11"}


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ({"identity": {"model": {"base_url": "http://a"}}}, "http://a"),
        ({"identity": {"model": {"base_url": "http://a"}}, "base_url": "http://b"}, "http://b"),
        ({"identity": {"model": {}}}, ""),
        ({"identity": {"model": "x"}}, ""),
        ({"identity": {}, "base_url": 7}, ""),
    ],
)
def test_the_last_address_is_known(manifest: dict[str, Any], expected: str) -> None:
    """It is taken from the identity of an earlier version's folder, or from the field next to it."""
    assert address_of(manifest) == expected

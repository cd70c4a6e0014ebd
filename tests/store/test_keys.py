"""Content keys are short, stable, and equal exactly if the content is."""

from __future__ import annotations

import doctest
import hashlib
import json
import subprocess
import sys
import time
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.store import keys
from benchwright.store.keys import canonical, compact, content_key, ending_with
from kit.growth import slowness

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_the_key_of_known_content_never_changes() -> None:
    """Later versions find keys of earlier ones; `sha256sum` of the canonical text gives the same."""
    actual = content_key({"task": "HumanEval/0", "n": 10}, "запрос", None)

    assert actual == "d4a6e25a7a58d7e09c3519b7812b76e5"


def test_a_key_is_32_hex_digits() -> None:
    """A key can be pasted and searched for."""
    key = content_key("x")

    assert (len(key), set(key) <= set("0123456789abcdef")) == (32, True)


@given(st.dictionaries(st.text(), JSON, max_size=5))
def test_the_order_of_keys_does_not_matter(value: dict[str, object]) -> None:
    """Two spellings of one object have one key."""
    turned = dict(reversed(value.items()))

    assert content_key(value) == content_key(turned)


@given(JSON)
def test_the_canonical_form_reads_back(value: object) -> None:
    """The canonical form loses nothing, so different content has different forms."""
    text = canonical(value).decode("utf-8", "surrogatepass")

    assert value == json.loads(text)


@given(st.lists(JSON, min_size=1, max_size=3))
def test_several_parts_are_not_one_list(parts: list[object]) -> None:
    """`content_key(a, b)` and `content_key([a, b])` differ."""
    assert content_key(*parts) != content_key(parts)


def test_true_and_one_have_different_keys() -> None:
    """Python considers them equal, but their content differs."""
    found = {content_key(value) for value in (True, 1, 1.0, "1", [1], None)}

    assert len(found) == 6


def test_a_lone_surrogate_has_a_key() -> None:
    """The text of a hostile answer never raises an exception."""
    assert content_key("\ud800") != content_key("\udfff")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_what_json_cannot_hold_has_no_key(value: float) -> None:
    """NaN is refused, because its key would depend on its spelling."""
    with pytest.raises(ValueError, match="not JSON compliant"):
        content_key(value)


def test_the_key_is_the_same_in_another_process() -> None:
    """Hash randomisation has no effect on the key."""
    code = "from benchwright.store.keys import content_key; print(content_key({'b': 1, 'a': [1.5, 'ё']}))"
    environment = {"PYTHONHASHSEED": "77", "PYTHONUTF8": "1"}
    actual = subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment, check=True)

    assert content_key({"a": [1.5, "ё"], "b": 1}) == actual.stdout.decode().strip()


@given(st.lists(JSON, max_size=3), st.lists(JSON, max_size=3))
def test_the_last_parts_may_be_spelled_before(first: list[object], last: list[object]) -> None:
    """The key does not depend on how its text was joined, lone surrogates included."""
    whole = hashlib.sha256(canonical([*first, "\ud800", *last])).hexdigest()[:32]

    assert (whole, whole) == (
        content_key(*first, "\ud800", *last),
        ending_with(*last)(*first, "\ud800"),
    )


@given(st.text())
def test_compact_keeps_different_keys_apart(text: str) -> None:
    """Content keys become 16 bytes, and other keys stay unchanged."""
    key = content_key(text)

    assert (bytes.fromhex(key), True) == (compact(key), compact("no hex: " + text) != compact(key))


def test_the_examples_in_the_module_hold() -> None:
    """Executes the examples of the documentation."""
    result = doctest.testmod(keys)

    assert (result.failed, result.attempted > 0) == (0, True)


def test_a_key_costs_microseconds() -> None:
    """A run of a million answers spends seconds, not minutes, on keys."""
    value = {"revision": "0" * 32, "model": {"scheme": "replay"}, "sample": 3}
    best = (
        min(timeit.repeat(lambda: content_key(value), timer=time.process_time, number=200, repeat=20)) / 200
    )

    assert best < 100e-6 * slowness()

"""What makes two models one: name and parameters, never the address."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import RequestOptions
from benchwright.models.http.model import open_model

PARAMETERS: dict[str, list[Any]] = {
    "model_id": [None, "a", "b"],
    "api": ["chat", "completions"],
    "temperature": [0.0, 0.5, 1.0],
    "top_p": [None, 0.5, 0.95],
    "max_tokens": [1, 2048],
    "stop": [(), ("a",), ("a", "b")],
    "seed": [0, 1234],
    "body": [{}, {"k": 1}, {"k": 2}],
}
ADDRESSES = st.builds(
    "{}://{}:{}/{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(["h", "localhost", "10.0.0.7", "[::1]", "api.example.org"]),
    st.integers(1, 65535),
    st.sampled_from(["", "v1", "v1/", "openai/deployments/x/v1"]),
)


@given(
    here=ADDRESSES,
    there=ADDRESSES,
    seed=st.integers(0, 2**31),
    stop=st.lists(st.text("ab\n", min_size=1), max_size=2).map(tuple),
    model_id=st.none() | st.text("abc", min_size=1),
)
def test_no_part_of_an_address_decides_anything(here: str, there: str, **parameters: Any) -> None:
    """Scheme, host, port and path are where the model is; who it is, all others say."""
    one, other = (
        open_model("m", asking=RequestOptions(base_url=address, **parameters)).identity()
        for address in (here, there)
    )

    assert (one, here in str(one)) == (other, False)


@given(
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in PARAMETERS.items()}),
    st.fixed_dictionaries({name: st.sampled_from(values) for name, values in PARAMETERS.items()}),
)
def test_every_parameter_decides(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Two models are one only where all parameters are equal."""
    one, other = (open_model("m", asking=RequestOptions(**each)).identity() for each in (first, second))

    assert (one == other) == (first == second)


@pytest.mark.parametrize("name", PARAMETERS)
def test_each_parameter_alone_decides(name: str) -> None:
    """Each value of a parameter gives another identity."""
    made = [open_model("m", asking=RequestOptions(**{name: value})).identity() for value in PARAMETERS[name]]

    assert all(one != other for at, one in enumerate(made) for other in made[:at])


def test_without_a_model_id_nothing_is_said_of_it() -> None:
    """The identity has no such field, so runs of earlier versions resume."""
    assert "model_id" not in open_model("m").identity()

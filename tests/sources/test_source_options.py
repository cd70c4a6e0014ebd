"""Options behind the place of a source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.sources.source_options import source_options

NAMES = ("repo", "licence")


def test_options_and_pairs() -> None:
    found = source_options(
        "a,b.csv,repo=ours/scales,licence=apache-2.0,map=body:text,map=who:author",
        NAMES,
        example="x",
        repeated=("map",),
    )
    assert found.place == "a,b.csv" and found.get("repo") == "ours/scales"
    assert found.get("licence") == "Apache-2.0" and found.get("other") == ""
    assert found.pairs("map") == {"body": "text", "who": "author"}


@pytest.mark.parametrize(
    "given_text",
    [
        "",
        ",repo=a/b",
        "x,other=1",
        "x,repo=a,repo=b",
        "x,licence=mine",
        "x,repo=a b",
        "x,repo=",
        "x,licence=",
    ],
)
def test_options_that_are_none(given_text: str) -> None:
    with pytest.raises(UsageError):
        source_options(given_text, NAMES, example="x")


@pytest.mark.parametrize("pairs", ["map=a", "map=:b", "map=a:", "map=a:b,map=a:c"])
def test_pairs_that_are_none(pairs: str) -> None:
    with pytest.raises(UsageError):
        source_options(f"x,{pairs}", (), example="x", repeated=("map",)).pairs("map")


@given(st.text(min_size=1, max_size=60))
def test_any_text_is_a_place_or_refused(text: str) -> None:
    try:
        found = source_options(text, NAMES, example="x")
    except UsageError:
        return
    assert text.startswith(found.place)

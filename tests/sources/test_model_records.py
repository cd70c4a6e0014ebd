"""Records of models, and the user's statements about a source of files."""

from __future__ import annotations

import msgspec
import pytest

from benchwright.errors import UsageError
from benchwright.sources.model_records import (
    CodeBlock,
    FormatDeviation,
    ModelRecord,
    StatedPlace,
    stated_place,
)


def test_records_survive_their_file() -> None:
    """A record is equal after writing and reading."""
    record = ModelRecord(
        origin="cards",
        id="a/b",
        revision="r",
        sha256="0",
        blocks=[CodeBlock(language="python", code="x", first_line=1, last_line=1)],
        quirks=[FormatDeviation(name="crlf")],
        metadata={"a": ["b", {"c": "d"}]},
    )

    assert msgspec.json.decode(msgspec.json.encode(record), type=ModelRecord) == record


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("folder", StatedPlace("folder")),
        ("a,b", StatedPlace("a,b")),
        ("folder,licence=mit", StatedPlace("folder", "MIT")),
        ("a,licence=x/b,licence=Apache-2.0", StatedPlace("a,licence=x/b", "Apache-2.0")),
        ("a,licence=x/b", StatedPlace("a,licence=x/b")),
    ],
)
def test_what_is_stated(rest: str, expected: StatedPlace) -> None:
    """Only the last part is the licence; folders may have any name."""
    assert stated_place(rest) == expected


@pytest.mark.parametrize("rest", ["", ",licence=MIT", "a,licence=", "a,licence=Mine"])
def test_what_cannot_be_meant(rest: str) -> None:
    """A missing place, or an unknown licence."""
    with pytest.raises(UsageError):
        stated_place(rest)

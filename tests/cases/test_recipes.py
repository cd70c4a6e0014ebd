"""Files made by recipes: their bytes are fixed for good, and readers of their formats accept them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import struct
import wave
import zlib
from typing import Any

import pytest

from benchwright.cases.recipes import MAX_BYTES, make_file, read_recipe

PICTURE = {"kind": "image", "width": 20, "height": 10}
KNOWN: list[tuple[dict[str, Any], str]] = [
    ({"kind": "text", "text": "a\nü"}, "b84a9f58"),
    ({"kind": "bytes", "hex": "89504e47"}, "0f4636c7"),
    ({"kind": "json", "value": {"b": [1, None], "a": "ü"}}, "27acf39f"),
    ({"kind": "csv", "columns": ["a", "b"], "rows": [[1, "x,y"], [None, 2.5]]}, "8f0d934e"),
    ({**PICTURE}, "811fa2d8"),
    ({**PICTURE, "pattern": "noise", "seed": 3}, "32a8a149"),
    ({**PICTURE, "pattern": "gradient", "mode": "grey", "format": "ppm"}, "bd055097"),
    ({"kind": "audio", "seconds": 0.01}, "9ab58abe"),
    ({"kind": "audio", "seconds": 0.01, "wave": "noise", "channels": 2}, "dd736ce4"),
]


def pixels(png: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height and rows of a picture, read by the format's own rules."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, header = 8, b"", b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        assert struct.unpack(">I", png[at + 8 + size : at + 12 + size])[0] == zlib.crc32(kind + body)
        header, data = (body, data) if kind == b"IHDR" else (header, data + body)
        at += 12 + size
    width, height, depth, colours = struct.unpack(">IIBB", header[:10])
    raw, line = zlib.decompress(data), width * (3 if colours == 2 else 1) + 1
    rows = [raw[start : start + line] for start in range(0, len(raw), line)]
    assert depth == 8 and len(rows) == height and all(row[0] == 0 for row in rows)
    return width, height, [row[1:] for row in rows]


@pytest.mark.parametrize(("recipe", "digest"), KNOWN)
def test_the_bytes_of_a_recipe_never_change(recipe: dict[str, Any], digest: str) -> None:
    """An entry's admission holds for these bytes, so a change here changes what was admitted."""
    assert hashlib.sha256(make_file(recipe)).hexdigest()[:8] == digest


def test_a_picture_has_the_pixels_that_are_asked_for() -> None:
    """A disc in the middle over its background."""
    shape = {**PICTURE, "pattern": "disc", "colour": [1, 2, 3], "background": [9, 8, 7]}
    width, height, rows = pixels(make_file(shape))

    assert (width, height) == (20, 10)
    assert rows[5][30:33] == bytes([1, 2, 3]) and rows[0][:3] == bytes([9, 8, 7])


def test_a_large_picture_is_stored_in_several_blocks() -> None:
    """A block of a deflate stream holds no more than 65,535 bytes."""
    width, height, rows = pixels(make_file({"kind": "image", "width": 400, "height": 300}))

    assert (width, height, set(rows)) == (400, 300, {bytes([0, 90, 180]) * 400})


@pytest.mark.parametrize("pattern", ["solid", "stripes", "checks", "gradient", "disc", "noise"])
def test_each_pattern_is_another_picture(pattern: str) -> None:
    """In grey as well: one byte a pixel, and two levels at least but for a solid one."""
    content = make_file({**PICTURE, "pattern": pattern, "mode": "grey", "format": "ppm"})
    header, _, data = content.partition(b"\n255\n")

    assert header == b"P5\n20 10" and len(data) == 200
    assert (len(set(data)) > 1) is (pattern != "solid")


@pytest.mark.parametrize("form", ["sine", "square", "noise", "silence"])
def test_a_sound_is_read_by_the_standard_library(form: str) -> None:
    """With its rate, channels and length; all but silence is heard."""
    content = make_file({"kind": "audio", "seconds": 0.05, "rate": 8000, "channels": 2, "wave": form})
    with wave.open(io.BytesIO(content)) as file:
        heard = any(file.readframes(400))
        told = (file.getframerate(), file.getnchannels(), file.getsampwidth(), file.getnframes())

    assert told == (8000, 2, 2, 400)
    assert heard is (form != "silence")


def test_a_square_wave_changes_its_sign_twice_in_each_period() -> None:
    """At 100 Hz and 8,000 samples a second, after each 40 samples."""
    recipe = {"kind": "audio", "seconds": 0.02, "rate": 8000, "wave": "square", "frequency": 100}
    with wave.open(io.BytesIO(make_file(recipe))) as file:
        samples = memoryview(file.readframes(160)).cast("h").tolist()
    peak = max(samples)

    assert samples == ([peak] * 40 + [-peak] * 40) * 2 and peak > 1_000


def test_tables_and_documents_read_back() -> None:
    """An empty cell stands for null."""
    table = make_file({"kind": "csv", "columns": ["a", "b"], "rows": [[1, "x,y"], [None, 2.5]]})
    value = {"b": [1, None, "ü"]}

    assert list(csv.reader(io.StringIO(table.decode()))) == [["a", "b"], ["1", "x,y"], ["", "2.5"]]
    assert json.loads(make_file({"kind": "json", "value": value})) == value


@pytest.mark.parametrize(
    ("recipe", "why"),
    [
        ({}, "kind"),
        ({"kind": "film"}, "film"),
        ([], "object"),
        ({"kind": "text"}, "text"),
        ({"kind": "text", "text": "a", "more": 1}, "more"),
        ({"kind": "bytes", "hex": "xyz"}, "hex"),
        ({**PICTURE, "width": 0}, "width"),
        ({**PICTURE, "width": 10_000}, "width"),
        ({**PICTURE, "colour": [1, 2, 300]}, "colour"),
        ({"kind": "image", "width": 512, "height": 512}, "too many"),
        ({"kind": "audio", "seconds": 1e9}, "seconds"),
        ({"kind": "audio", "seconds": 16, "rate": 48000}, "too many"),
        ({"kind": "csv", "columns": ["a"], "rows": [[1, 2]]}, "cells"),
        ({"kind": "text", "text": "x" * (MAX_BYTES + 1)}, "limit"),
    ],
)
def test_a_recipe_that_makes_no_file_is_refused(recipe: Any, why: str) -> None:
    """With the parameter that is at fault, before anything large is made."""
    with pytest.raises(ValueError, match=why):
        make_file(recipe)


def test_a_recipe_is_read_without_being_made() -> None:
    """So that a data set is checked in no time."""
    assert read_recipe({"kind": "audio", "seconds": 2}).seconds == 2  # type: ignore[attr-defined]

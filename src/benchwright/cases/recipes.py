"""Recipes for files of test cases: a few parameters that always give the same bytes.

Images are PNG or PPM, sounds WAV, all written with the standard library. Data in a PNG is stored
uncompressed, because versions of compressors differ in their output. Noise is generated from a seed.
"""

from __future__ import annotations

import csv
import io
import json
import math
import random
import struct
import wave
import zlib
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal

import msgspec

from benchwright.records import Record

MAX_BYTES = 512 << 10  # of one file; `sandbox.input_files` limits the files of an answer in total
_ImageSide = Annotated[int, msgspec.Meta(ge=1, le=512)]
_Byte = Annotated[int, msgspec.Meta(ge=0, le=255)]
_Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]
_BLOCK_BYTES = 0xFFFF  # bytes of one stored block of a deflate stream


class Recipe(Record, frozen=True, kw_only=True, tag_field="kind", forbid_unknown_fields=True):
    """Base of recipes: parameters from which `content` makes the bytes of a file."""

    def content(self) -> bytes:
        """The file's bytes. Raises ValueError for invalid parameters and for more than MAX_BYTES."""
        raise NotImplementedError


class TextRecipe(Recipe, frozen=True, kw_only=True, tag="text"):
    """A text in UTF-8."""

    text: str

    def content(self) -> bytes:
        """The text's bytes."""
        return self.text.encode("utf-8")


class BytesRecipe(Recipe, frozen=True, kw_only=True, tag="bytes"):
    """Any bytes, such as those of a broken file, in hexadecimal digits."""

    hex: str

    def content(self) -> bytes:
        """The bytes."""
        return bytes.fromhex(self.hex)


class JsonRecipe(Recipe, frozen=True, kw_only=True, tag="json"):
    """A value as JSON; keys keep their order."""

    value: Any

    def content(self) -> bytes:
        """The document, with a line end."""
        return (json.dumps(self.value, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


class TableRecipe(Recipe, frozen=True, kw_only=True, tag="csv"):
    """A table in CSV: a header, then rows; null is an empty cell."""

    columns: list[str]
    rows: list[list[str | int | float | None]]
    delimiter: Literal[",", ";", "\t"] = ","

    def content(self) -> bytes:
        """The table, with LF line ends."""
        out = io.StringIO()
        writer = csv.writer(out, delimiter=self.delimiter, lineterminator="\n")
        writer.writerow(self.columns)
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row has {len(row)} cells, the table {len(self.columns)} columns")
            writer.writerow(row)
        return out.getvalue().encode("utf-8")


class ImageRecipe(Recipe, frozen=True, kw_only=True, tag="image"):
    """An image with 8 bits per channel: a pattern in `colour` on `background`; grey uses the first channel.

    "disc" is a circle in the middle, "gradient" runs from left to right, "noise" is generated from the seed.
    """

    width: _ImageSide
    height: _ImageSide
    format: Literal["png", "ppm"] = "png"
    mode: Literal["rgb", "grey"] = "rgb"
    pattern: Literal["solid", "stripes", "checks", "gradient", "disc", "noise"] = "solid"
    colour: tuple[_Byte, _Byte, _Byte] = (0, 90, 180)
    background: tuple[_Byte, _Byte, _Byte] = (255, 255, 255)
    step: _ImageSide = 8  # width of a stripe or check
    seed: int = 0

    def content(self) -> bytes:
        """The image."""
        channels = 3 if self.mode == "rgb" else 1
        if self.width * self.height * channels > MAX_BYTES - 1024:
            raise ValueError(f"{self.width} x {self.height} pixels are too many")
        rows = [b"".join(bytes(pixel[:channels]) for pixel in row) for row in self._rows()]
        if self.format == "png":
            return _png(self.width, self.height, rows, colour_type=2 if channels == 3 else 0)
        magic = b"P6" if channels == 3 else b"P5"
        return b"%s\n%d %d\n255\n" % (magic, self.width, self.height) + b"".join(rows)

    def _rows(self) -> Iterator[list[tuple[int, ...]]]:
        pixel = self._noise() if self.pattern == "noise" else self._mixed
        for y in range(self.height):
            yield [pixel(x, y) for x in range(self.width)]

    def _noise(self) -> Callable[[int, int], tuple[int, ...]]:
        draw = random.Random(self.seed).random
        return lambda x, y: (int(draw() * 256), int(draw() * 256), int(draw() * 256))

    def _mixed(self, x: int, y: int) -> tuple[int, ...]:
        share = self._share(x, y)
        pairs = zip(self.colour, self.background, strict=True)
        return tuple(int(over * share + under * (1 - share) + 0.5) for over, under in pairs)

    def _share(self, x: int, y: int) -> float:
        """Share of `colour` at a pixel, from 0 to 1."""
        if self.pattern == "stripes":
            return float(x // self.step % 2 == 0)
        if self.pattern == "checks":
            return float((x // self.step + y // self.step) % 2 == 0)
        if self.pattern == "gradient":
            return x / max(1, self.width - 1)
        if self.pattern == "disc":
            across, down = 2 * x + 1 - self.width, 2 * y + 1 - self.height
            return float(4 * (across * across + down * down) <= min(self.width, self.height) ** 2)
        return 1.0


class SoundRecipe(Recipe, frozen=True, kw_only=True, tag="audio"):
    """A sound with 16 bits per sample, as WAV."""

    seconds: Annotated[float, msgspec.Meta(gt=0.0, le=16.0)]
    rate: Annotated[int, msgspec.Meta(ge=1000, le=48000)] = 16000
    channels: Literal[1, 2] = 1
    wave: Literal["sine", "square", "noise", "silence"] = "sine"
    frequency: Annotated[float, msgspec.Meta(gt=0.0, le=24000.0)] = 440.0
    amplitude: _Share = 0.5
    seed: int = 0

    def content(self) -> bytes:
        """The sound."""
        count = int(self.seconds * self.rate)
        if count * self.channels * 2 > MAX_BYTES - 1024:
            raise ValueError(f"{count} samples are too many")
        value = self._values()
        samples = b"".join(struct.pack("<h", round(value(at) * 32767)) * self.channels for at in range(count))
        out = io.BytesIO()
        with wave.open(out, "wb") as file:
            file.setnchannels(self.channels)
            file.setsampwidth(2)
            file.setframerate(self.rate)
            file.writeframes(samples)
        return out.getvalue()

    def _values(self) -> Callable[[int], float]:
        if self.wave == "silence":
            return lambda at: 0.0
        if self.wave == "noise":
            draw = random.Random(self.seed).random
            return lambda at: self.amplitude * (2 * draw() - 1)
        if self.wave == "square":
            return lambda at: self.amplitude * (1 if 2 * at * self.frequency // self.rate % 2 == 0 else -1)
        return lambda at: self.amplitude * math.sin(2 * math.pi * self.frequency * at / self.rate)


_Any = TextRecipe | BytesRecipe | JsonRecipe | TableRecipe | ImageRecipe | SoundRecipe


def read_recipe(data: Any) -> Recipe:
    """Read a recipe from JSON data such as {"kind": "text", "text": "a"}. Raises ValueError if invalid."""
    try:
        recipe: Recipe = msgspec.convert(data, _Any)
        return recipe
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def make_file(data: Any) -> bytes:
    """The bytes of a recipe's file. Raises ValueError for an invalid recipe and for too large a file."""
    content = read_recipe(data).content()
    if len(content) > MAX_BYTES:
        raise ValueError(f"the file has {len(content):,} bytes, and the limit is {MAX_BYTES:,}")
    return content


def _png(width: int, height: int, rows: list[bytes], *, colour_type: int) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0)
    data = _uncompressed_zlib(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _uncompressed_zlib(data: bytes) -> bytes:
    """A zlib stream of uncompressed data, whose bytes depend on no compressor."""
    parts = [data[at : at + _BLOCK_BYTES] for at in range(0, len(data), _BLOCK_BYTES)]
    blocks = [
        struct.pack("<BHH", at == len(parts) - 1, len(part), len(part) ^ _BLOCK_BYTES) + part
        for at, part in enumerate(parts)
    ]
    return b"\x78\x01" + b"".join(blocks) + struct.pack(">I", zlib.adler32(data))

"""The two files of a submission, byte for byte as MERA's own packer writes them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

# The earliest time a zip can hold. A real time would make two equal exports differ.
_TIME = (1980, 1, 1, 0, 0, 0)
LOGS = "logs_public.zip"


class Row(NamedTuple):
    """One task's entry: its integer id and its outputs, in the shape of its task set."""

    id: int
    outputs: Any


class Entry(NamedTuple):
    """One file of an archive."""

    name: str
    data: bytes


def document(rows: Iterable[Row]) -> dict[str, Any]:
    """The JSON document of a task set."""
    return {"data": {"test": [{"outputs": row.outputs, "meta": {"id": row.id}} for row in rows]}}


def document_bytes(rows: Iterable[Row]) -> bytes:
    """Its file: indented by four, UTF-8 with no byte-order mark, letters as they are, no last line end."""
    return json.dumps(document(rows), ensure_ascii=False, indent=4).encode()


def archive(entries: Sequence[Entry]) -> bytes:
    """A zip with these files at its root, in this order: equal files make equal bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name, _TIME)
            info.create_system = 3  # Unix, wherever it is written
            info.external_attr = 0o644 << 16
            is_packed = entry.name.endswith(".zip")
            info.compress_type = zipfile.ZIP_STORED if is_packed else zipfile.ZIP_DEFLATED
            packed.writestr(info, entry.data)
    return target.getvalue()

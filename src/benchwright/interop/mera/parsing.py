"""The document of a task set from untrusted bytes, read as MERA's server reads it: with Python's own `json`.

That reader takes NaN and doubled keys, so this one does too, and notes them. Its costs are bounded before it
starts: three bytes of JSON can become a hundred in memory.
"""

from __future__ import annotations

import codecs
import json
from collections import Counter
from typing import Any

from benchwright.display.escape import escaped_name
from benchwright.interop.mera.findings import Findings

MAX_NODES = 4_000_000
UNREADABLE = object()


def read_json(data: bytes, file: str, found: Findings) -> Any:
    """The value that the file holds, or UNREADABLE with the reason in `found`."""
    if data.startswith(codecs.BOM_UTF8):
        found.add("byte-order-mark", file, "it begins with a byte-order mark, which Python's json refuses")
        data = data[len(codecs.BOM_UTF8) :]
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start:,} is not UTF-8 ({error.reason})"
        found.add("not-utf-8", file, problem)
        return UNREADABLE
    if sum(map(data.count, (b",", b"[", b"{"))) > MAX_NODES:
        found.add("too-large", file, f"it holds more than {MAX_NODES:,} values")
        return UNREADABLE
    return _parse(text, file, found)


def _parse(text: str, file: str, found: Findings) -> Any:
    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(items)
        if len(made) != len(items):
            twice, _ = Counter(name for name, _ in items).most_common(1)[0]
            found.add("doubled-key", file, "a key appears twice in one object", field=escaped_name(twice))
        return made

    try:
        return json.loads(text.strip(), object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        found.add("broken-json", file, f"it is not JSON: {escaped_name(str(error))}")
        return UNREADABLE

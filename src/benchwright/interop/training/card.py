"""README.md of a training export: metadata that `datasets` and hubs read, then text for people."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchwright.display.escape import markdown_cell

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST = "n>1M"
_ID = re.compile(r"[a-z0-9][a-z0-9.-]*")  # of a licence, safe in YAML
# How YAML names the features of a column in the dialect of `datasets`, by DuckDB's type.
_SCALARS = {"VARCHAR": "string", "BOOLEAN": "bool", "INTEGER": "int32", "BIGINT": "int64"}


def training_card(manifest: Mapping[str, Any], features: Mapping[str, Mapping[str, str]]) -> str:
    """The card. `features` are DuckDB's types of columns by configuration; empty for formats without them."""
    parts = [*_head(manifest, features), "", *_text(manifest), ""]
    return "\n".join(parts)


def _head(manifest: Mapping[str, Any], features: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    yield "---"
    yield f"license: {_licence(manifest['licences'])}"
    yield "language:"
    yield "- code"
    yield "task_categories:"
    yield "- text-generation"
    yield "size_categories:"
    yield f"- {_size(_total(manifest))}"
    yield "tags:"
    yield "- benchwright"
    yield from _configs(manifest)
    if features:
        yield "dataset_info:"
        for name, types in features.items():
            yield f"- config_name: {name}"
            yield "  features:"
            yield from (line for column, kind in types.items() for line in _feature(column, kind, "  "))
    yield "---"


def _licence(licences: Mapping[str, int]) -> str:
    names = sorted({name.lower() for name in licences})
    return names[0] if len(names) == 1 and _ID.fullmatch(names[0]) and names[0] != "unknown" else "other"


def _total(manifest: Mapping[str, Any]) -> int:
    return sum(sum(each["rows"].values()) for each in manifest["configurations"].values())


def _size(rows: int) -> str:
    return next((name for limit, name in _SIZES if rows < limit), _LARGEST)


def _configs(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The configurations that have rows, with the files of each split."""
    splits: dict[str, list[str]] = {
        name: sorted(each["rows"]) for name, each in manifest["configurations"].items() if each["rows"]
    }
    if splits:
        splits["meta"] = sorted({split for each in splits.values() for split in each})
        yield "configs:"
    for name, parts in splits.items():
        yield f"- config_name: {name}"
        yield "  data_files:"
        for split in parts:
            yield f"  - split: {split}"
            shards = f"data/{name}/{split}-*.parquet"
            has_shards = any(file.startswith(f"data/{name}/") for file in manifest["sha256"])
            yield f"    path: {shards if has_shards else f'jsonl/{name}/{split}.jsonl'}"


def _feature(column: str, kind: str, indent: str) -> Iterator[str]:
    """Lines of one feature; nested types are read by a small parser of DuckDB's notation."""
    yield f"{indent}- name: {column}"
    yield from _typed(kind, f"{indent}  ")


def _typed(kind: str, indent: str) -> Iterator[str]:
    if kind in _SCALARS:
        yield f"{indent}dtype: {_SCALARS[kind]}"
    elif kind.endswith("[]"):
        inner = kind.removesuffix("[]")
        if inner in _SCALARS:
            yield f"{indent}list: {_SCALARS[inner]}"
        else:
            yield f"{indent}list:"
            yield from _fields(inner, indent)
    else:
        yield f"{indent}struct:"
        yield from _fields(kind, indent)


def _fields(struct: str, indent: str) -> Iterator[str]:
    for name, kind in struct_fields(struct):
        yield from _feature(name, kind, indent)


def struct_fields(struct: str) -> Iterator[tuple[str, str]]:
    """The fields of `STRUCT("name" TYPE, …)`, which may be nested."""
    body, depth, start = struct.removeprefix("STRUCT(").removesuffix(")"), 0, 0
    for at, letter in enumerate(f"{body},"):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth:
            name, _, kind = body[start:at].strip().partition(" ")
            yield name.strip('"'), kind
            start = at + 1


def _text(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield "# Training data of software development"
    yield ""
    yield f"Made by {manifest['made_by']} in the format {manifest['format']}. Files have exactly the columns"
    yield "of one type. `meta` has the provenance of each row: join it by `config`, `split` and `row`, the"
    yield "row's position from 0."
    yield ""
    yield "| configuration | type | form | split | rows | content |"
    yield "|---|---|---|---|---:|---|"
    for name, each in manifest["configurations"].items():
        about = markdown_cell(each["about"])
        for split, count in (each["rows"] or {"–": 0}).items():
            yield f"| {name} | {each['type']} | {each['form']} | {split} | {count:,} | {about} |"
    yield from _dropped(manifest)
    yield from _counts("Licences", "licence", manifest["licences"])
    yield from _counts("Repositories", "repository", manifest["repositories"])
    if manifest["time_range"]:
        first, last = manifest["time_range"]
        yield ""
        yield f"Events from {first} to {last}."
    yield ""
    yield "## Sources"
    yield ""
    for each in manifest["sources"]:
        yield f"- {markdown_cell(json.dumps(each, ensure_ascii=False, sort_keys=True))}"
    yield ""
    yield "A row rests on the evidence that its `rung` names; without a rung, on the event itself. To have a"
    yield "person, repository or address removed, use the contact in the card of the release."


def _dropped(manifest: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield "## Left out"
    yield ""
    yield "| configuration | reason | items |"
    yield "|---|---|---:|"
    for name, each in manifest["configurations"].items():
        for reason, count in each["dropped"].items():
            yield f"| {name} | {reason} | {count:,} |"


def _counts(title: str, column: str, counts: Mapping[str, int]) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""
    yield f"| {column} | rows |"
    yield "|---|---:|"
    for name, count in counts.items():
        yield f"| {markdown_cell(name)} | {count:,} |"

"""Stage publish: the release of a build as files, made in memory and independent of time and place.

data/test.jsonl         certified entries, whole          data/train.jsonl   valid and partial ones
data/unverified.jsonl   entries that could not be executed
hub/SPLIT.jsonl         the same with cases as text, so that hubs can read them as tables
hub/SPLIT.parquet       these tables in Parquet, if DuckDB is installed
prompts/test.jsonl      what a model sees: no test, no solution
instructions/train.jsonl   instruction and answer, for training
programs/benchmark_ID.py   each entry as a file that runs its own tests
schema/entry.json  admissions.jsonl  dropped.jsonl  funnel.json  environment.json  croissant.json  README.md
manifest.json           what it is, and the SHA-256 of each other file
"""

from __future__ import annotations

import json
import platform
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.aicodereval.draft_records import AdmittedEntry, prompt_of
from benchwright.building.aicodereval.release_card import COLUMNS, card, croissant
from benchwright.building.aicodereval.release_folder import write_release
from benchwright.building.engine.recipe import CARD, MADE_BY, MANIFEST, digests, nothing_left, tally
from benchwright.building.engine.stages import FunnelLevel
from benchwright.contracts import Decision
from benchwright.executing.trials import environment_lock
from benchwright.records import Drop, full_document
from benchwright.store.parquet import can_write_parquet, parquet_bytes
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, entry_point_of, program_of
from benchwright.tracks.aicodereval.program_file import program_file

SPLITS = ("test", "train", "unverified")
# Stored, because a release keeps its bytes while the names and docstrings of our records change.
ENTRY_SCHEMA = Path(__file__).with_name("entry_schema.json")
_SPACE = uuid.UUID("5d0a8a2e-8a6e-5c0f-9d0e-0f6f0c1d7b11")  # namespace of canaries; any fixed one would do


def publish(
    folder: Path,
    entries: Iterable[AdmittedEntry],
    drops: Sequence[Drop],
    *,
    name: str,
    levels: Sequence[FunnelLevel],
    gates: Mapping[str, int],
) -> tuple[Path, dict[str, Any]]:
    """Write the release below the folder of the build; return its path and its manifest.

    Raises DataError for an empty release, RunError if another release has the name.
    """
    found = list(entries)
    if not found:
        raise nothing_left("entry", folder, levels)
    manifest = _manifest(found, name=name, levels=levels, gates=gates)
    tables = _tables(found, manifest["canary"])
    parquet = _parquet(tables, folder / name)
    manifest["parquet"] = bool(parquet)
    written = {f"hub/{split}.jsonl": _lines(rows) for split, rows in tables.items()}
    files = _files(found, drops, manifest, levels, tables={**written, **parquet})
    manifest["sha256"] = digests(dict(sorted(files.items())))
    files[MANIFEST] = _json(manifest)
    write_release(folder / name, files)
    return folder / name, manifest


def _manifest(
    found: Sequence[AdmittedEntry], *, name: str, levels: Sequence[FunnelLevel], gates: Mapping[str, int]
) -> dict[str, Any]:
    title, _, version = name.rpartition("@")
    return {
        "name": title,
        "version": version,
        "made_by": MADE_BY,
        "canary": f"benchwright:canary:{uuid.uuid5(_SPACE, name)}",
        "entries": {split: sum(each.split == split for each in found) for split in SPLITS},
        "tiers": tally(str(each.entry.status) for each in found),
        "domains": tally(str(each.entry.domain) for each in found),
        "licences": tally(each.licence for each in found),
        "declared_equivalent": {each.unit: names for each in found if (names := _equivalent_mutants(each))},
        "gates": dict(sorted(gates.items())),
        "funnel": [msgspec.to_builtins(each) for each in levels],
    }


def _equivalent_mutants(each: AdmittedEntry) -> list[str]:
    """The mutants that count as equivalent because the draft declares them so."""
    mutation = each.decisions.get("mutation")
    names: list[str] = mutation.evidence.get("declared_equivalent", []) if mutation else []
    return names


def _files(
    found: Sequence[AdmittedEntry],
    drops: Sequence[Drop],
    manifest: Mapping[str, Any],
    levels: Sequence[FunnelLevel],
    *,
    tables: Mapping[str, bytes],
) -> dict[str, bytes]:
    by_split = _by_split(found)
    canary = {"canary": manifest["canary"]}
    test, train = by_split["test"], by_split["train"]
    files = {
        "data/test.jsonl": _lines([{**_entry_document(each.entry), **canary} for each in test]),
        "data/train.jsonl": _lines([_entry_document(each.entry) for each in train]),
        "data/unverified.jsonl": _lines([_entry_document(each.entry) for each in by_split["unverified"]]),
        "prompts/test.jsonl": _lines([{**_prompt_document(each.entry), **canary} for each in test]),
        "instructions/train.jsonl": _lines([_instruction(each.entry) for each in train]),
        "schema/entry.json": ENTRY_SCHEMA.read_bytes(),
        "admissions.jsonl": _lines([_admission(each) for each in found]),
        "dropped.jsonl": _lines([_costless(each) for each in drops]),
        "funnel.json": _json({"stages": manifest["funnel"]}),
        "environment.json": _json(_environment([*test, *train])),
    }
    files |= tables
    for each in [*test, *train]:
        head = f"# {manifest['canary']}\n"
        files[f"programs/benchmark_{each.unit}.py"] = (head + program_file(each.entry)).encode()
    files[CARD] = card(manifest, levels).encode()
    files["croissant.json"] = _json(croissant(manifest, digests(dict(sorted(files.items())))))
    return files


def _by_split(found: Sequence[AdmittedEntry]) -> dict[str, list[AdmittedEntry]]:
    return {split: [each for each in found if each.split == split] for split in SPLITS}


def _tables(found: Sequence[AdmittedEntry], canary: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of each split. All have the same columns, so the canary is empty outside the test split."""
    return {
        split: [{**_flat(each.entry), "canary": canary if split == "test" else ""} for each in mine]
        for split, mine in _by_split(found).items()
    }


def _parquet(tables: Mapping[str, Sequence[Mapping[str, Any]]], released: Path) -> dict[str, bytes]:
    """The tables that have rows, as Parquet.

    An existing release keeps its Parquet files, or its lack of them: it is published, and another version of
    DuckDB would write other bytes.
    """
    if released.exists():
        found = sorted((released / "hub").glob("*.parquet"))
        return {f"hub/{path.name}": path.read_bytes() for path in found}
    written = tables if can_write_parquet() else {}
    return {f"hub/{split}.parquet": parquet_bytes(rows, COLUMNS) for split, rows in written.items() if rows}


def _entry_document(entry: BenchmarkEntry) -> dict[str, Any]:
    return {**full_document(entry), "cases": [msgspec.to_builtins(case) for case in entry.cases]}


def _flat(entry: BenchmarkEntry) -> dict[str, Any]:
    """An entry with cases and stand-ins as text: a table column has one type, and case values have any."""
    document = _entry_document(entry)
    del document["time_s"]  # a table of texts
    texts = {
        name: json.dumps(document[name], ensure_ascii=False, sort_keys=True)
        for name in ("cases", "stand_ins")
    }
    return {**document, **texts}


def _prompt_document(entry: BenchmarkEntry) -> dict[str, Any]:
    return {
        "task_id": entry.task_id,
        "domain": str(entry.domain),
        "prompt": prompt_of(entry),
        "entry_point": entry_point_of(entry),
        "imports": entry.imports,
        "libraries": entry.libraries,
        "environment": entry.environment,
    }


def _instruction(entry: BenchmarkEntry) -> dict[str, Any]:
    return {
        "task_id": entry.task_id,
        "instruction": prompt_of(entry),
        "input": "",
        "output": program_of(entry),
        "status": entry.status,
    }


def _admission(each: AdmittedEntry) -> dict[str, Any]:
    """The facts about an entry for admissions.jsonl."""
    decisions = {name: _costless(decision) for name, decision in sorted(each.decisions.items())}
    return {
        "task_id": each.unit,
        "revision": each.revision,
        "tier": each.entry.status,
        "split": each.split,
        "source": each.source,
        "licence": each.licence,
        "lineage": each.lineage,
        "levels": {level: str(outcome) for level, outcome in each.levels.items()},
        "decisions": decisions,
    }


def _costless(record: Decision | Drop) -> dict[str, Any]:
    """A record without its execution cost, which varies."""
    document: dict[str, Any] = msgspec.to_builtins(record)
    return {name: value for name, value in document.items() if name != "cpu_s"}


def _environment(found: Iterable[AdmittedEntry]) -> dict[str, Any]:
    names = sorted({each.entry.environment for each in found})
    return {
        "platform": f"{platform.system()} {platform.machine()}",
        "profiles": {name: environment_lock(name) for name in names},
    }


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    spelled = (json.dumps(row, ensure_ascii=False, sort_keys=True, separators=(",", ":")) for row in rows)
    return "".join(f"{line}\n" for line in spelled).encode("utf-8", "surrogatepass")


def _json(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, sort_keys=True, indent=1).encode() + b"\n"

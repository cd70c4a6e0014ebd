"""The documents of a release: the card for people and hubs, and Croissant metadata for machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from benchwright.building.engine.stages import FunnelLevel
from benchwright.display.escape import markdown_cell
from benchwright.store.parquet import TEXT, TEXTS
from benchwright.tracks.aicodereval.entry import BenchmarkEntry

_ABOUT = {
    "test": "certified: all levels pass each time, and no gate refused them",
    "train": "valid (all levels pass) and partial (some do)",
    "unverified": "not executed, as a library or the weights of a model were not there; or not reviewed",
}
# The context of the Croissant format, version 1.0, as its specification has it.
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_FIELDS = {
    "task_id": "name of the task",
    "domain": "one of the seven domains of AICoderEval, or unmapped",
    "description": "what is asked for, in one sentence",
    "signature": "head of the function",
    "docstring": "its arguments, result and exceptions",
    "implementation": "body of the canonical solution",
    "environment": "dependency profile that it is executed in",
    "cases": "test cases as a JSON text",
    "status": "tier",
}


_MEDIA = {"jsonl": "application/jsonlines", "parquet": "application/x-parquet"}
COLUMNS = {  # of the tables in `hub/`
    **{
        field.name: TEXTS if field.type == list[str] else TEXT
        for field in msgspec.structs.fields(BenchmarkEntry)
        if field.name != "time_s"
    },
    "canary": TEXT,
}


def croissant(manifest: Mapping[str, Any], sha256: Mapping[str, str]) -> dict[str, Any]:
    """JSON-LD in the Croissant format: each file with its hash, and the fields of each split with rows."""
    splits = [split for split, count in manifest["entries"].items() if count]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": manifest["name"],
        "version": manifest["version"],
        "description": f"{_sentence(manifest)} {manifest['canary']}",
        "license": [f"https://spdx.org/licenses/{each}.html" for each in manifest["licences"]],
        "distribution": [
            _file(f"hub/{split}.{ending}", media, sha256[f"hub/{split}.{ending}"])
            for split in splits
            for ending, media in _MEDIA.items()
            if f"hub/{split}.{ending}" in sha256
        ],
        "recordSet": [_records(split) for split in splits],
    }


def _file(name: str, media: str, sha256: str) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "encodingFormat": media,
        "sha256": sha256,
    }


def _records(split: str) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{split}/{name}",
            "name": name,
            "description": about,
            "dataType": "sc:Text",
            "source": {"fileObject": {"@id": f"hub/{split}.jsonl"}, "extract": {"column": name}},
        }
        for name, about in _FIELDS.items()
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": split,
        "name": split,
        "description": _ABOUT[split],
        "key": {"@id": f"{split}/task_id"},
        "field": fields,
    }


def _sentence(manifest: Mapping[str, Any]) -> str:
    return f"Tasks around AI models with tests at three levels; made by {manifest['made_by']}."


def card(manifest: Mapping[str, Any], levels: Sequence[FunnelLevel]) -> str:
    """README.md: metadata for hubs, then text for people."""
    parts = (
        _head(manifest),
        _about(manifest),
        _numbers(manifest),
        _equivalent_mutants(manifest),
        _gates(manifest),
        _funnel(levels),
    )
    return "\n".join(parts)


def _head(manifest: Mapping[str, Any]) -> str:
    splits = [split for split, count in manifest["entries"].items() if count]
    licences = [each.lower() for each in manifest["licences"]]
    licence = licences[0] if len(licences) == 1 else f"[{', '.join(licences)}]"
    lines = ["---", f"license: {licence}", f"pretty_name: {manifest['name']}", "configs:"]
    lines += ["- config_name: default", "  data_files:"]
    for split in splits:
        lines += [f"  - split: {split}", f"    path: hub/{split}.jsonl"]
    return "\n".join([*lines, "dataset_info:", "  features:", *_features(), "---", ""])


def _features() -> Iterator[str]:
    """Each column with its type; a reader that infers types gets an empty list of texts wrong."""
    for name, kind in COLUMNS.items():
        yield f"  - name: {name}"
        yield "    sequence: string" if kind == TEXTS else "    dtype: string"


def _about(manifest: Mapping[str, Any]) -> str:
    rows = "\n".join(
        f"| `data/{split}.jsonl` | {count} | {_ABOUT[split]} |"
        for split, count in manifest["entries"].items()
    )
    return f"""# {markdown_cell(manifest["name"])} {manifest["version"]}

{_sentence(manifest)} Each entry has the task in one sentence, the
signature and docstring of a function, its canonical solution, and test cases at the levels normal, edge case
and correctness.

| file | entries | |
|---|---:|---|
{rows}

`hub/` has the same entries as tables: their cases are text there. {_parquet(manifest)}

`prompts/test.jsonl` is what a model is shown: it has no tests and no solutions. `instructions/train.jsonl`
has the entries of `train` as instruction and answer; nothing that one of them was made from is behind an
entry of `test`. `programs/` has each entry as a program that runs its own tests. `admissions.jsonl` says of
each entry what was found out about it, `dropped.jsonl` of everything else why it is not here.
`environment.json` has the versions of what the entries were executed with.

Canary, to be looked for in what a model was trained on: `{manifest["canary"]}`
"""


def _parquet(manifest: Mapping[str, Any]) -> str:
    if manifest["parquet"]:
        return "Each is there as JSON Lines and as Parquet."
    return "They are JSON Lines; there is no Parquet, since DuckDB was not installed where they were made."


def _numbers(manifest: Mapping[str, Any]) -> str:
    lines = ["## Entries", "", "| | entries |", "|---|---:|"]
    for name in ("tiers", "domains", "licences"):
        lines += [f"| {markdown_cell(key)} | {count} |" for key, count in manifest[name].items()]
    return "\n".join([*lines, ""])


def _equivalent_mutants(manifest: Mapping[str, Any]) -> str:
    """The mutants that authors declared equivalent; scores rely on those declarations."""
    lines = [
        f"- {markdown_cell(task)}: {', '.join(names)}"
        for task, names in manifest["declared_equivalent"].items()
    ]
    if not lines:
        return ""
    return "\n".join(["## Mutants declared equivalent by authors, not refuted", "", *lines, ""])


def _gates(manifest: Mapping[str, Any]) -> str:
    names = ", ".join(f"{name} (version {version})" for name, version in manifest["gates"].items())
    return f"## Gates\n\n{markdown_cell(names)}.\n"


def _funnel(levels: Sequence[FunnelLevel]) -> str:
    lines = ["## What was left out", "", "| stage | considered | kept | dropped |", "|---|---:|---:|---|"]
    for each in levels:
        why = ", ".join(f"{count} {reason}" for reason, count in each.dropped.items())
        lines.append(f"| {each.stage} ({each.unit}) | {each.considered} | {each.kept} | {why or '–'} |")
    return "\n".join([*lines, ""])

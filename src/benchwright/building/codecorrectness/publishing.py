"""Stage 9, publish: the data set as MERA's folder and as JSON Lines, with a card and a manifest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.codecorrectness.nouns import Candidate
from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.stages import Level, reasons
from benchwright.display.escape import markdown_cell, quoted
from benchwright.errors import DataError
from benchwright.lang.languages import listed
from benchwright.sources.repositories import Repository
from benchwright.store.writing import replacing, write_json
from benchwright.tracks.correctness_rows import VARIANTS, instruction
from benchwright.tracks.shape import GUESSED, ShapedPair, guessed_shares, shape_document
from benchwright.version import VERSION

# The card of a data set, README.md: what it holds, where from, how it was made, what was left out.


def card(manifest: Mapping[str, Any], levels: Sequence[Level]) -> str:
    """The card as Markdown, all of it from the manifest and the funnel."""
    parts = (
        _head(manifest),
        _table_of_counts(manifest),
        _shape(manifest["shape"]),
        _sources(manifest),
        _made(manifest),
        _funnel(levels),
    )
    return "\n".join(parts)


def _head(manifest: Mapping[str, Any]) -> str:
    rows = manifest["rows"]
    return f"""# {markdown_cell(manifest["name"])}

Will this test pass on this code? Each row has a focal file, a file with one test case, and the label
`success` or `failed`, which execution in a sandbox established.

{rows["test"]} rows in `test.json` (the same in `codecorrectness.jsonl`), {rows["shots"]} in `shots.json`.
Made by {manifest["made_by"]}. Rows of the subset `original` are as their repository has them; a row of the
subset `mutated` has one change in its focal file, named in `meta.mutation`.{_who_wrote(manifest)}
"""


def _who_wrote(manifest: Mapping[str, Any]) -> str:
    """Which model wrote how many of the tests."""
    if "generated" not in manifest:
        return ""
    rows = manifest["generated"]["rows"].items()
    who = (
        ", ".join(f"{markdown_cell(model)} ({count} rows)" for model, count in rows)
        or "no model that is left"
    )
    return f"""

A model wrote the tests of the subset `generated`, and those of mutated rows that have a `meta.test_model`:
{who}. `meta.test_prompt` names the question and `meta.test_reply` the reply. In each language, as many of
a model's tests pass as fail, and as many of the repositories' own, so that the style of a test does not tell
its label."""


def _table_of_counts(manifest: Mapping[str, Any]) -> str:
    lines = ["## Rows", "", "| | rows |", "|---|---:|"]
    for name in ("labels", "languages", "subsets"):
        lines += [f"| {markdown_cell(key)} | {count} |" for key, count in manifest[name].items()]
    return "\n".join([*lines, ""])


def _shape(shape: Mapping[str, Any]) -> str:
    """What a model that cannot read would get."""
    lines = ["## Baselines", ""]
    if "absent" in shape:
        return "\n".join([*lines, f"{markdown_cell(shape['absent'][:1].upper() + shape['absent'][1:])}.", ""])
    lines += [f"| | {GUESSED.title} | 95 % interval |", "|---|---:|---:|"]
    for name, metric in guessed_shares(shape):
        value, low, high = (f"{100 * metric[part]:.1f}" for part in ("value", "low", "high"))
        lines.append(f"| {markdown_cell(name)} | {value} % | {low}–{high} |")
    lines += ["", f"Shape: line counts, lengths, blank runs; {shape['folds']} fixed folds by repository."]
    if "warning" in shape:
        lines.append(f"**Warning**: {markdown_cell(shape['warning'])}.")
    return "\n".join([*lines, ""])


def _sources(manifest: Mapping[str, Any]) -> str:
    repositories = manifest["repositories"]
    heads = ["repository", "commit", "date", "licence"]
    if searched := any("stars" in each for each in repositories):
        heads += ["stars", "last push"]
    lines = ["## Sources", "", f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for each in repositories:
        name = f"{each['name']} ({each['remote']})" if each["remote"] else each["name"]
        cells = [name, each["commit"], each["committed_at"][:10], each["licence"]]
        if searched:
            cells += [each.get("stars", "–"), each.get("pushed_at", "")[:10] or "–"]
        lines.append(f"| {' | '.join(map(markdown_cell, cells))} |")
    said = [f"{markdown_cell(note)}.  " for note in manifest.get("search", ())]
    return "\n".join([*lines, "", *said, "The code stays under the licence of its repository.", ""])


def _made(manifest: Mapping[str, Any]) -> str:
    repeat = manifest["options"]["repeat"]
    tools = "; ".join(
        f"{lang}: {', '.join(f'{part} {version}' for part, version in parts.items())}"
        for lang, parts in manifest["toolchains"].items()
    )
    gates = ", ".join(f"{name} (version {version})" for name, version in manifest.get("gates", {}).items())
    further = f"Rows had to pass further gates: {markdown_cell(gates)}.\n" if gates else ""
    return f"""## Labels

Each row was executed {repeat} times, with other hash seeds, orders, clocks and time zones. A row whose
executions disagree is not here. Toolchains: {markdown_cell(tools)}.
`meta.pass_rate` is over these executions, `meta.kind` says how a test failed.
{further}Check the labels again: `benchwright verify test.json`.
"""


def _funnel(levels: Sequence[Level]) -> str:
    lines = ["## What was left out", "", "| stage | considered | kept | dropped |", "|---|---:|---:|---|"]
    for each in levels:
        why = ", ".join(f"{count} {reason}" for reason, count in each.dropped.items())
        lines.append(f"| {each.stage} ({each.unit}) | {each.considered} | {each.kept} | {why or '–'} |")
    return "\n".join([*lines, ""])


# Stage 9, publish: the data set as MERA's folder and as JSON Lines, with a card and a manifest. test.json,
# shots.json, raw_dataset_meta.json MERA's folder, instructions as texts codecorrectness.jsonl the rows of
# test.json README.md, manifest.json, funnel.json what it is, what made it, what was left out and why

FILES = ("test.json", "shots.json", "raw_dataset_meta.json", "codecorrectness.jsonl", "funnel.json")


def publish(
    folder: Path,
    rows: Iterable[Candidate],
    *,
    options: BuildOptions,
    repositories: Sequence[Repository],
    levels: Sequence[Level],
    toolchains: Mapping[str, Mapping[str, str]],
    writer: Mapping[str, Any] | None = None,
    further: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the data set; the manifest. Equal rows make equal bytes: nothing of it depends on the clock.

    `writer` is what is published of a model that wrote tests. What of `further` is not empty stands in the
    manifest: "search", the notes of one, and "gates", those that a user named, with their versions.
    """
    made = [_row(number, candidate) for number, candidate in enumerate(rows, 1)]
    if not made:
        hint = f"each drop is named: cat {quoted(folder / 'stages')}/*.dropped.jsonl"
        raise DataError(f"no row was left to publish; dropped: {reasons(levels)}", hint=hint)
    test, shots = _held_back(made, options.shots)
    _write_rows(folder, test, shots, meta=_meta(options, made[0], repositories))
    manifest = _manifest(
        folder, test, shots, options=options, repositories=repositories, toolchains=toolchains
    )
    if writer is not None:
        manifest["generated"] = {**writer, "rows": _writers(test)}
    manifest |= {name: value for name, value in (further or {}).items() if value}
    write_json(folder / "manifest.json", manifest)
    with replacing(folder / "README.md") as file:
        file.write(card(manifest, levels).encode())
    return manifest


def _write_rows(
    folder: Path, test: Sequence[dict[str, Any]], shots: Sequence[dict[str, Any]], *, meta: dict[str, Any]
) -> None:
    _json(folder / "test.json", {"access": "public", "data": test})
    _json(folder / "shots.json", {"data": shots})
    _json(folder / "raw_dataset_meta.json", meta)
    with replacing(folder / "codecorrectness.jsonl") as file:
        for row in test:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _held_back(rows: Sequence[dict[str, Any]], shots: int) -> tuple[list[Any], list[Any]]:
    """The rows without the shots, and the shots: a tenth at most, the last ones of both labels alike."""
    of_a_label = min(shots, len(rows) // 10) // 2
    held: list[int] = []
    for label in ("success", "failed"):
        mine = [number for number, row in enumerate(rows) if row["outputs"] == label]
        held += mine[len(mine) - of_a_label :]
    return [row for number, row in enumerate(rows) if number not in held], [rows[at] for at in sorted(held)]


def _row(number: int, each: Candidate) -> dict[str, Any]:
    """`meta` beyond the id is ours; MERA's own tools pass over it. The track's wordings take turns."""
    prompt, asked = instruction(number, codes=(each.focal_code, each.test_code))
    about = {
        "id": number,
        "prompt": prompt,
        "subset": each.subset,
        "repository": each.repository,
        "commit": each.commit,
        "committed_at": each.committed_at,
        "licence": each.licence,
        "focal_path": each.focal_path,
        "test_path": each.test_path,
        "case": each.case,
        "runs": each.runs,
        "pass_rate": each.passes / each.runs,
        "kind": each.kind,
        "tags": each.tags,
        "revision": each.revision,
    }
    if each.subset == "mutated":
        about |= {"mutation": each.mutation, "parent": each.parent}
    if each.written is not None:
        about |= {f"test_{name}": value for name, value in msgspec.structs.asdict(each.written).items()}
    return {
        "instruction": asked,
        "inputs": {"focal_code": each.focal_code, "test_code": each.test_code, "lang": each.lang},
        "outputs": each.label,
        "meta": about,
    }


def _meta(
    options: BuildOptions, example: dict[str, Any], repositories: Sequence[Repository]
) -> dict[str, Any]:
    """The fields that MERA's validator asks for."""
    licences = sorted({each.licence for each in repositories if each.licence in options.bounds.licences})
    both = {
        "instruction": ("промпт с полями", "prompt with fields"),
        "inputs.focal_code": ("код, который проверяет тест", "the code under test"),
        "inputs.test_code": ("файл с одним тестом", "a file with one test case"),
        "inputs.lang": (f"язык: {listed('или')}", f"language: {listed('or')}"),
        "outputs": ("success, если тест проходит, иначе failed", "success if the test passes, else failed"),
        "meta.id": ("номер примера", "number of the row"),
        "meta.prompt": ("имя формулировки инструкции", "name of the instruction's wording"),
        "meta.subset": ("original, generated или mutated", "original, generated or mutated"),
    }
    return {
        "dataset_name": options.name,
        "license": " AND ".join(licences),
        "maintainers": [],
        "modalities": ["text"],
        "skills": ["Instruction following", "Code perception", "Simulation", "Error classification"],
        "metrics": ["EM"],
        "prompts": [instruction(number)[1] for number in range(1, VARIANTS + 1)],
        "data_example": example,
        "data_field_descriptions": {name: {"ru": ru, "en": en} for name, (ru, en) in both.items()},
    }


def _manifest(
    folder: Path,
    test: Sequence[dict[str, Any]],
    shots: Sequence[dict[str, Any]],
    *,
    options: BuildOptions,
    repositories: Sequence[Repository],
    toolchains: Mapping[str, Mapping[str, str]],
) -> dict[str, Any]:
    used = {row["meta"]["repository"] for row in (*test, *shots)}
    return {
        "name": options.name,
        "made_by": f"benchwright {VERSION}",
        "options": {name: value for name, value in options.identity().items() if name != "sources"},
        "toolchains": {lang: dict(parts) for lang, parts in sorted(toolchains.items())},
        "repositories": [_source(each) for each in repositories if each.name in used],
        "rows": {"test": len(test), "shots": len(shots)},
        "labels": _counts(test, lambda row: row["outputs"]),
        "languages": _counts(test, lambda row: row["inputs"]["lang"]),
        "subsets": _counts(test, lambda row: row["meta"]["subset"]),
        "shape": shape_document([_pair(row) for row in test]),
        "sha256": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in FILES},
    }


def _pair(row: dict[str, Any]) -> ShapedPair:
    """What of a published row the shape baseline sees; a repository's rows stay in one fold."""
    codes = {name: row["inputs"][name] for name in ("focal_code", "test_code")}
    return ShapedPair(**codes, label=row["outputs"], group=row["meta"]["repository"])


def _source(each: Repository) -> dict[str, Any]:
    """Without the folder: where a clone lay on one machine is nobody else's concern."""
    searched = {"stars": each.stars, "pushed_at": each.pushed_at, "created_at": each.created_at}
    return {
        "name": each.name,
        "remote": each.remote,
        "commit": each.commit,
        "committed_at": each.committed_at,
        "licence": each.licence,
        "licence_file": each.licence_file,
        **(searched if each.stars is not None else {}),
    }


def _counts(rows: Sequence[dict[str, Any]], value: Any) -> dict[str, int]:
    counted: dict[str, int] = {}
    for row in rows:
        counted[value(row)] = counted.get(value(row), 0) + 1
    return dict(sorted(counted.items()))


def _writers(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many rows have a test by which model, those with a mutated focal file among them."""
    written = [row for row in rows if "test_model" in row["meta"]]
    return _counts(written, lambda row: row["meta"]["test_model"])


def _json(path: Path, document: object) -> None:
    with replacing(path) as file:
        file.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")

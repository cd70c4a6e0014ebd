"""Stage publish: the data set as MERA's folder and as JSON Lines, with a card and a manifest.

test.json, shots.json, raw_dataset_meta.json and raw_readme_{ru,en}.json are MERA's folder, with instructions
as texts; codecorrectness.jsonl has the rows of test.json. README.md, manifest.json and funnel.json describe
the set, its sources, and the drops with their reasons.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.codecorrectness.card import card
from benchwright.building.codecorrectness.contents import contents
from benchwright.building.codecorrectness.mera_documents import SetFacts, raw_meta, raw_readmes
from benchwright.building.codecorrectness.nouns import Candidate, cluster_of
from benchwright.building.codecorrectness.options import KEEP_UNKNOWN, BuildOptions, told_licence
from benchwright.building.codecorrectness.patterns import StyledText, telling_patterns
from benchwright.building.codecorrectness.readers import ShownRow, reader_figures
from benchwright.building.codecorrectness.splitting import held_back, wordings
from benchwright.building.recipe import MADE_BY, digests, nothing_left, tally, write_card_and_manifest
from benchwright.building.stages import Level
from benchwright.sources.clones import NOT_CLONED
from benchwright.sources.repositories import Repository
from benchwright.store.writing import replacing
from benchwright.tracks.correctness_rows import VARIANTS, instruction, place_note
from benchwright.tracks.error_classes import error_class
from benchwright.tracks.shape import ShapedPair, shape_document

_ADDRESS = re.compile(r"(?:https?|ssh|git|git\+ssh)://|[\w.-]+@[\w.-]+:")  # any other text is a local folder
FILES = (
    *("test.json", "shots.json", "raw_dataset_meta.json", "raw_readme_ru.json", "raw_readme_en.json"),
    *("codecorrectness.jsonl", "funnel.json"),
)


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
    """Write the data set and return its manifest. Equal rows give equal bytes, whatever the time.

    `writer` is the published identity of a model that wrote tests. Non-empty values of `further` go into the
    manifest: "search", the notes of a search, and "gates", the additional gates with their versions.
    """
    chosen = list(rows)
    if not chosen:
        raise nothing_left("row", folder, levels, hint=_advice(levels))
    asked, test, shots = _parted(chosen, options.shots)
    _write_rows(folder, test, shots, facts=_facts(options, test, shots))
    manifest = _manifest(
        folder, test, shots, options=options, repositories=repositories, toolchains=toolchains
    )
    manifest["contents"] = contents(asked, options.mix)
    if writer is not None:
        manifest["generated"] = {**writer, "rows": _writers(test)}
    manifest |= {name: value for name, value in (further or {}).items() if value}
    write_card_and_manifest(folder, card(manifest, levels), manifest)
    return manifest


def _write_rows(
    folder: Path, test: Sequence[dict[str, Any]], shots: Sequence[dict[str, Any]], *, facts: SetFacts
) -> None:
    _json(folder / "test.json", {"access": "public", "data": test})
    _json(folder / "shots.json", {"data": shots})
    _json(folder / "raw_dataset_meta.json", raw_meta(facts, [*shots, *test][0]), indent=4)
    for name, sections in raw_readmes(facts).items():
        _json(folder / name, sections, indent=4)
    with replacing(folder / "codecorrectness.jsonl") as file:
        for row in test:
            file.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")


def _advice(levels: Sequence[Level]) -> str:
    """Advice for a build without rows, for the two common causes."""
    if levels and not levels[0].kept and not set(NOT_CLONED).isdisjoint(levels[0].dropped):
        return "run the same command again to retry failed clones"
    if any("licence_unknown" in each.dropped for each in levels):
        return f"add a licence file to your own repositories, or use {KEEP_UNKNOWN} with another --out"
    return ""


def _parted(
    rows: Sequence[Candidate], shots: int
) -> tuple[list[Candidate], list[dict[str, Any]], list[dict[str, Any]]]:
    """The test rows as candidates and as JSON, and the shots as JSON; ids are positions in the whole set."""
    held = held_back(rows, shots)
    parts = [[at for at in range(len(rows)) if (at in held) is is_held] for is_held in (False, True)]
    made = []
    for places in parts:
        variants = wordings([rows[at] for at in places], VARIANTS)
        made.append([_row(at + 1, rows[at], variant) for at, variant in zip(places, variants, strict=True)])
    return [rows[at] for at in parts[0]], made[0], made[1]


def _row(number: int, each: Candidate, variant: int) -> dict[str, Any]:
    """A row of the data set.

    `meta` beyond the id is ours and ignored by MERA; `variant` numbers the prompt.
    """
    prompt, asked = instruction(variant, codes=(each.focal_code, each.test_code))
    about = {
        "id": number,
        "prompt": prompt,
        "subset": each.subset,
        "repository": each.repository,
        "commit": each.commit,
        "committed_at": each.committed_at,
        "licence": told_licence(each.licence),
        "focal_path": each.focal_path,
        "test_path": each.test_path,
        "layout": each.layout,
        "case": each.case,
        "runs": each.runs,
        "pass_rate": each.passes / each.runs,
        "kind": each.kind,
        "error_class": error_class(each.label, each.kind),
        "cluster": cluster_of(each),
        "origin": each.origin,
        "steady": each.steady,
        "builds": each.builds,
        "tags": each.tags,
        "revision": each.revision,
    }
    if each.mutation:
        about |= {"mutation": each.mutation, "parent": each.parent}
    if each.written is not None:
        about |= {f"test_{name}": value for name, value in msgspec.structs.asdict(each.written).items()}
    return {
        "instruction": place_note(about, language="ru") + asked,
        "inputs": {"focal_code": each.focal_code, "test_code": each.test_code, "lang": each.lang},
        "outputs": each.label,
        "meta": about,
    }


def _facts(
    options: BuildOptions,
    test: Sequence[dict[str, Any]],
    shots: Sequence[dict[str, Any]],
) -> SetFacts:
    """The facts for MERA's documents; licences and repositories are those of the rows."""
    rows = [*test, *shots]
    return SetFacts(
        name=options.name,
        rows=len(test),
        shots=len(shots),
        repeat=options.repeat,
        repositories=len({row["meta"]["repository"] for row in rows}),
        licences=sorted({row["meta"]["licence"] for row in rows}),
        counts={
            "labels": tally(row["outputs"] for row in test),
            "languages": tally(row["inputs"]["lang"] for row in test),
            "subsets": tally(row["meta"]["subset"] for row in test),
        },
        maintainers=options.maintainers,
        writers=sorted(_writers(rows)),
    )


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
        "made_by": MADE_BY,
        "options": {name: value for name, value in options.identity().items() if name != "sources"},
        "toolchains": {lang: dict(parts) for lang, parts in sorted(toolchains.items())},
        "repositories": [_source(each) for each in repositories if each.name in used],
        "rows": {"test": len(test), "shots": len(shots)},
        "labels": tally(row["outputs"] for row in test),
        "languages": tally(row["inputs"]["lang"] for row in test),
        "subsets": tally(row["meta"]["subset"] for row in test),
        "shape": shape_document([_pair(row) for row in test]),
        "readers": reader_figures([_shown(row) for row in test]),
        "patterns": [msgspec.to_builtins(each) for each in telling_patterns(map(_styled, test))],
        "sha256": digests({name: folder / name for name in FILES}),
    }


def _pair(row: dict[str, Any]) -> ShapedPair:
    """The part of a row for the layout baseline; the rows of a repository stay in one fold."""
    codes = {name: row["inputs"][name] for name in ("focal_code", "test_code")}
    return ShapedPair(**codes, label=row["outputs"], group=row["meta"]["repository"])


def _shown(row: dict[str, Any]) -> ShownRow:
    """The part of a row for the naive baselines."""
    codes = {name: row["inputs"][name] for name in ("focal_code", "test_code")}
    places = {name: row["meta"][name] for name in ("repository", "focal_path")}
    return ShownRow(**codes, **places, label=row["outputs"])


def _styled(row: dict[str, Any]) -> StyledText:
    """The part of a row for the search of label patterns."""
    about = row["meta"]
    source = f"{about['repository']}:{about['focal_path']}"
    return StyledText(row["outputs"], row["inputs"]["focal_code"], about["cluster"], source)


def _source(each: Repository) -> dict[str, Any]:
    """A repository without its local folder."""
    searched = {"stars": each.stars, "pushed_at": each.pushed_at, "created_at": each.created_at}
    return {
        "name": each.name,
        "remote": each.remote if _ADDRESS.match(each.remote) else "",
        "commit": each.commit,
        "committed_at": each.committed_at,
        "licence": told_licence(each.licence),
        "licence_file": each.licence_file,
        **(searched if each.stars is not None else {}),
    }


def _writers(rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """The number of rows with a test by each model, including rows with a mutated focal file."""
    written = [row for row in rows if "test_model" in row["meta"]]
    return tally(row["meta"]["test_model"] for row in written)


def _json(path: Path, document: object, *, indent: int = 1) -> None:
    with replacing(path) as file:
        file.write(json.dumps(document, ensure_ascii=False, indent=indent).encode() + b"\n")

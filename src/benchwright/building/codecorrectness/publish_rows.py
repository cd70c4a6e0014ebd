"""Stage publish: the data set as a MERA folder and as JSON Lines, with a card and a manifest.

Whole families of rows are held back as shots, and each row gets one of the prompt variants.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchwright.building.codecorrectness.card import card
from benchwright.building.codecorrectness.mera_documents import SetFacts, raw_meta, raw_readmes
from benchwright.building.codecorrectness.naive_baselines import (
    BaselineRow,
    StyledText,
    baseline_figures,
    label_patterns,
)
from benchwright.building.codecorrectness.options import KEEP_UNKNOWN, BuildOptions, licence_text
from benchwright.building.codecorrectness.quotas import contents
from benchwright.building.codecorrectness.row_records import Candidate, cluster_of
from benchwright.building.engine.recipe import MADE_BY, digests, nothing_left, tally, write_card_and_manifest
from benchwright.building.engine.stages import FunnelLevel
from benchwright.sources.clones import NOT_CLONED
from benchwright.sources.repositories import Repository
from benchwright.store.keys import content_key
from benchwright.store.writing import replacing
from benchwright.tracks.correctness.layout_baseline import LayoutPair, layout_document
from benchwright.tracks.correctness.rows import VARIANTS, error_class, instruction, place_note

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
    levels: Sequence[FunnelLevel],
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
    candidates, test, shots = _test_and_shots(chosen, options.shots)
    _write_rows(folder, test, shots, facts=_facts(options, test, shots))
    manifest = _manifest(
        folder, test, shots, options=options, repositories=repositories, toolchains=toolchains
    )
    manifest["contents"] = contents(candidates, options.mix)
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


def _advice(levels: Sequence[FunnelLevel]) -> str:
    """Advice for a build without rows, for the two common causes."""
    if levels and not levels[0].kept and not set(NOT_CLONED).isdisjoint(levels[0].dropped):
        return "run the same command again to retry failed clones"
    if any("licence_unknown" in each.dropped for each in levels):
        return f"add a licence file to your own repositories, or use {KEEP_UNKNOWN} with another --out"
    return ""


def _test_and_shots(
    rows: Sequence[Candidate], shots: int
) -> tuple[list[Candidate], list[dict[str, Any]], list[dict[str, Any]]]:
    """The test rows as candidates and as JSON, and the shots as JSON; ids are positions in the whole set."""
    shot_places = shot_rows(rows, shots)
    parts = [[at for at in range(len(rows)) if (at in shot_places) is is_shot] for is_shot in (False, True)]
    documents = []
    for places in parts:
        variants = prompt_variants([rows[at] for at in places], VARIANTS)
        documents.append(
            [_row(at + 1, rows[at], variant) for at, variant in zip(places, variants, strict=True)]
        )
    return [rows[at] for at in parts[0]], documents[0], documents[1]


def _row(number: int, each: Candidate, variant: int) -> dict[str, Any]:
    """A row of the data set.

    `meta` beyond the id is ours and ignored by MERA; `variant` numbers the prompt.
    """
    prompt, question = instruction(variant, codes=(each.focal_code, each.test_code))
    about = {
        "id": number,
        "prompt": prompt,
        "subset": each.subset,
        "repository": each.repository,
        "commit": each.commit,
        "committed_at": each.committed_at,
        "licence": licence_text(each.licence),
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
        "instruction": place_note(about, language="ru") + question,
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
        "shape": layout_document([_pair(row) for row in test]),
        "readers": baseline_figures([_baseline_row(row) for row in test]),
        "patterns": [msgspec.to_builtins(each) for each in label_patterns(map(_styled, test))],
        "sha256": digests({name: folder / name for name in FILES}),
    }


def _pair(row: dict[str, Any]) -> LayoutPair:
    """The part of a row for the layout baseline; the rows of a repository stay in one fold."""
    codes = {name: row["inputs"][name] for name in ("focal_code", "test_code")}
    return LayoutPair(**codes, label=row["outputs"], group=row["meta"]["repository"])


def _baseline_row(row: dict[str, Any]) -> BaselineRow:
    """The part of a row for the naive baselines."""
    codes = {name: row["inputs"][name] for name in ("focal_code", "test_code")}
    places = {name: row["meta"][name] for name in ("repository", "focal_path")}
    return BaselineRow(**codes, **places, label=row["outputs"])


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
        "licence": licence_text(each.licence),
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


# Related rows (of one file, one test, one text) are one family, which is held back as a whole or not at all:
# an example similar to a row would reveal its label.


class _RowFamily(NamedTuple):
    places: list[int]  # positions of its rows in the set
    lang: str
    repository: str
    success: int
    failed: int
    common: int  # failed rows of the most common kind in the set

    @property
    def lead(self) -> int:
        return self.success - self.failed


def shot_rows(rows: Sequence[Candidate], shots: int) -> set[int]:
    """The positions of the shots: at most a tenth of the rows, both labels equally, whole families only.

    The shots contain the same share of the most common kind of failure as the set, so that the rest of the
    set keeps its quotas. Then languages take turns, then repositories, small families first. There are fewer
    shots if no families fit: no test row shares a file, a test or a text with a shot.
    """
    room = min(shots, len(rows) // 10) // 2
    kinds = Counter(row.subset for row in rows if row.label == "failed")
    kind, count = max(kinds.items(), key=lambda each: (each[1], each[0]), default=("", 0))
    share = count / max(1, kinds.total())
    waiting = _families(rows, kind)
    chosen: list[_RowFamily] = []
    while (found := _next(waiting, chosen, room, share)) is not None:
        chosen += found
        waiting = [each for each in waiting if each not in found]
        room -= sum(each.success for each in found)
    return {at for family in chosen for at in family.places}


def _next(
    waiting: Sequence[_RowFamily], chosen: Sequence[_RowFamily], room: int, share: float
) -> tuple[_RowFamily, ...] | None:
    """A family with equal labels, or two that are equal together; `share` is that of the most common kind."""
    langs = Counter(each.lang for each in chosen)
    repositories = Counter(each.repository for each in chosen)

    def turn(families: tuple[_RowFamily, ...]) -> tuple[bool, int, int, int, int]:
        candidates = [*chosen, *families]
        short = sum(each.common for each in candidates) < share * sum(each.failed for each in candidates)
        used = sum(repositories[each.repository] for each in families)
        size = sum(len(each.places) for each in families)
        return short, langs[families[0].lang], used, size, len(families)

    fitting = [each for each in _even(waiting) if 0 < sum(one.success for one in each) <= room]
    return min(fitting, key=turn, default=None)


def _even(waiting: Sequence[_RowFamily]) -> Iterator[tuple[_RowFamily, ...]]:
    """Each even family, and for each uneven one the first of its language that balances it."""
    partners: dict[tuple[str, int], _RowFamily] = {}
    for family in waiting:
        if family.lead < 0:
            partners.setdefault((family.lang, -family.lead), family)
    for family in waiting:
        if family.lead == 0:
            yield (family,)
        elif (other := partners.get((family.lang, family.lead))) is not None:
            yield family, other


def _families(rows: Sequence[Candidate], common: str) -> list[_RowFamily]:
    """Rows joined by anything they share, small families first, then by a neutral key."""
    first: dict[tuple[str, ...], int] = {}
    leaders = list(range(len(rows)))
    for at, row in enumerate(rows):
        for key in _shared(row):
            _join(leaders, at, first.setdefault(key, at))
    places: dict[int, list[int]] = {}
    for at in range(len(rows)):
        places.setdefault(_leader(leaders, at), []).append(at)
    found = [_family(rows, mine, common) for mine in places.values()]
    return sorted(found, key=lambda each: (len(each.places), content_key(rows[each.places[0]].revision)))


def _family(rows: Sequence[Candidate], places: list[int], common: str) -> _RowFamily:
    first, labels = rows[places[0]], Counter(rows[at].label for at in places)
    of_kind = sum(rows[at].label == "failed" and rows[at].subset == common for at in places)
    return _RowFamily(places, first.lang, first.repository, labels["success"], labels["failed"], of_kind)


def _shared(row: Candidate) -> Iterator[tuple[str, ...]]:
    """Everything that two rows may have in common; a file counts in either role."""
    yield "file", row.repository, row.focal_path
    yield "file", row.repository, row.test_path
    yield "test", cluster_of(row)
    yield "text", row.focal_code
    yield "text", row.test_code


def _leader(leaders: list[int], at: int) -> int:
    while leaders[at] != at:
        leaders[at] = leaders[leaders[at]]
        at = leaders[at]
    return at


def _join(leaders: list[int], one: int, other: int) -> None:
    """Join two families; the lower position leads, so the order of joining does not matter."""
    low, high = sorted((_leader(leaders, one), _leader(leaders, other)))
    leaders[high] = low


def prompt_variants(rows: Sequence[Candidate], variants: int) -> list[int]:
    """The prompt variant of each row, from 1, dealt label by label along languages and repositories.

    So all variants have equally many rows, within one, and equally many of each label.
    """
    found = [0] * len(rows)
    for label in ("success", "failed"):
        mine = [at for at, row in enumerate(rows) if row.label == label]
        mine.sort(key=lambda at: (rows[at].lang, rows[at].repository, content_key(rows[at].revision)))
        for turn, at in enumerate(mine):
            found[at] = 1 + turn % variants
    return found

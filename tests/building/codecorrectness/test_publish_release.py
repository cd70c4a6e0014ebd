"""The published set: fields of its rows, what its manifest and card say of it, and nothing of this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.building.codecorrectness.balance import balance
from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.codecorrectness.publish_rows import _advice as advice
from benchwright.building.codecorrectness.publish_rows import publish
from benchwright.building.codecorrectness.row_records import Candidate, cluster_of
from benchwright.building.engine.stages import FunnelLevel
from benchwright.records import Drop
from benchwright.sources.repositories import Repository
from kit.made_populations import population

REMOTES = (
    "https://github.com/o/n.git",
    "git@github.com:o/n.git",
    "/home/someone/clones/n",
    "../n",
    "file:///n",
)

LIBRARIES = [
    {"lang": "Java", "name": "assertj-core-3.26", "sha256": "0" * 64},
    {"lang": "Python", "name": "attrs", "sha256": "1" * 64},
    {"lang": "Python", "name": "attrs-26.1.0.dist-info", "sha256": "3" * 64},
    {"lang": "Python", "name": "ujson.cpython-311-x86_64-linux-gnu.so", "sha256": "4" * 64},
]


def _chosen(**made: Any) -> list[Candidate]:
    rows = balance(population(**made), max_rows=None, shots=10)
    return [msgspec.structs.replace(row, runs=5, builds="yes") for row in rows if not isinstance(row, Drop)]


def _repository(name: str, remote: str) -> Repository:
    return Repository(
        name=name,
        place=f"/home/someone/{name}",
        commit="0" * 40,
        committed_at="2024-01-01",
        licence="MIT",
        remote=remote,
    )


def _published(folder: Path, rows: list[Candidate], **more: Any) -> dict[str, Any]:
    names = sorted({row.repository for row in rows})
    repositories = [_repository(name, REMOTES[at % len(REMOTES)]) for at, name in enumerate(names)]
    return publish(
        folder,
        rows,
        options=BuildOptions(sources=("/home/someone",)),
        repositories=repositories,
        levels=[],
        toolchains={"Python": {"python": "3.11"}},
        **more,
    )


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a set with mutants, history and natural failures."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "funnel.json").write_text("{}")
    _published(
        folder,
        _chosen(natural=0.08, edits=(3, 3, 3)),
        further={"libraries": LIBRARIES},
    )
    return folder


def _rows(folder: Path, name: str = "test.json") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((folder / name).read_text())["data"]
    return rows


def test_a_row_says_where_it_comes_from(published: Path) -> None:
    """Kind, cluster, origin, steadiness, state of the build; versions of one test have one cluster."""
    rows = _rows(published)
    chosen = {row.revision: row for row in _chosen(natural=0.08, edits=(3, 3, 3))}

    assert {row["meta"]["subset"] for row in rows} == {"original", "mutated", "history"}
    assert all(row["meta"]["cluster"] == cluster_of(chosen[row["meta"]["revision"]]) for row in rows)
    assert {(row["meta"]["origin"], row["meta"]["steady"], row["meta"]["builds"]) for row in rows} == {
        ("", "", "yes"),
        ("commit abc123", "", "yes"),
    }


def test_shots_and_rows_have_ids_of_their_own(published: Path) -> None:
    """And nothing in common that would tell a label."""
    test, shots = _rows(published), _rows(published, "shots.json")
    known = [{row["meta"]["cluster"] for row in part} for part in (test, shots)]
    codes = [{row["inputs"]["focal_code"] for row in part} for part in (test, shots)]

    assert sorted(row["meta"]["id"] for row in (*test, *shots)) == [*range(1, len(test) + len(shots) + 1)]
    assert (len(shots), known[0] & known[1], codes[0] & codes[1]) == (10, set(), set())


def test_labels_are_even_within_each_prompt(published: Path) -> None:
    """To a row."""
    counted: dict[str, list[str]] = {}
    for row in _rows(published):
        counted.setdefault(row["meta"]["prompt"], []).append(row["outputs"])

    assert len(counted) == 11
    assert all(abs(2 * labels.count("failed") - len(labels)) <= 1 for labels in counted.values())


def test_no_folder_of_this_machine(published: Path) -> None:
    """A clone's remote is published if it is an address, and left out if it is a place."""
    manifest = json.loads((published / "manifest.json").read_text())
    files = [path for path in published.iterdir() if "someone" in path.read_text()]

    assert (files, {each["remote"] for each in manifest["repositories"]}) == ([], {*REMOTES[:2], ""})


def test_the_card_of_a_sound_set(published: Path) -> None:
    """Kinds with both labels, clusters, readers, states, libraries; no warning of mix or readers."""
    card = (published / "README.md").read_text()
    manifest = json.loads((published / "manifest.json").read_text())
    wanted = (
        "| `meta.subset` | success | failed | what it is |",
        "| odd text out |",
        "No token and no two tokens in a row go with a label",
        "| character n-grams |",
        "Rows of one test have one `meta.cluster`",
        f"Does the row's project build: {manifest['rows']['test']} yes.",
        "Tests may import in Java assertj-core-3.26; in Python attrs, ujson; manifest.json has their hashes.",
        "mutated 50 %",
    )

    assert [words for words in wanted if words not in card] == []
    assert (manifest["contents"]["warnings"], "turned round" in card, "the reader" in card) == (
        [],
        False,
        False,
    )


def test_the_card_of_a_stubborn_set(tmp_path: Path) -> None:
    """All failures are mutants: it is published, and the card says so plainly."""
    (tmp_path / "funnel.json").write_text("{}")
    manifest = _published(tmp_path, _chosen(survive=0.0, natural=0.0, history=0.0, repositories=6))
    card = (tmp_path / "README.md").read_text()

    assert "**Warning**: 100 % of the failed rows are of the kind “mutated”" in card
    assert len(manifest["contents"]["warnings"]) == 2


def test_tokens_that_tell_are_named(tmp_path: Path) -> None:
    """A mark in every failed file is a pattern in the manifest, and the card warns of it."""
    (tmp_path / "funnel.json").write_text("{}")
    marked = [
        msgspec.structs.replace(row, focal_code=f"{row.focal_code}# slip\n") if row.label == "failed" else row
        for row in _chosen(survive=0.5, natural=0.5, history=0.5, repositories=24)
    ]
    manifest = _published(tmp_path, marked)

    assert "slip" in [each["pattern"] for each in manifest["patterns"]]
    assert "tell labels better than chance" in (tmp_path / "README.md").read_text()


def test_equal_rows_make_equal_bytes(published: Path, tmp_path: Path) -> None:
    """Whatever hash seed, folder and day it is."""
    (tmp_path / "funnel.json").write_text("{}")
    _published(
        tmp_path,
        _chosen(natural=0.08, edits=(3, 3, 3)),
        further={"libraries": LIBRARIES},
    )

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        path.name: path.read_bytes() for path in published.iterdir()
    }


def test_the_hint_where_nothing_could_be_cloned(tmp_path: Path) -> None:
    """What failed on the way is tried again; licences have nothing to do with it."""
    cloned = FunnelLevel(stage="collect", unit="repositories", given=3, considered=3, kept=0)
    cloned = msgspec.structs.replace(cloned, dropped={"not_cloned": 2, "licence_unknown": 1})
    read = msgspec.structs.replace(cloned, kept=1, dropped={"licence_unknown": 2})

    assert "retry failed clones" in advice([cloned])
    assert "licence file" in advice([read])

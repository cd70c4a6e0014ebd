"""Lists of tracks, schemes, runs in any state, and data files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchwright import registry
from benchwright.errors import UsageError
from benchwright.running import listing
from benchwright.running.listing import list_data, list_models, list_runs, list_tracks
from benchwright.store.named_data import find_data
from benchwright.store.user_cache import put_cached
from benchwright.store.writing import write_json
from kit.named import CONTENT, made_data, only_known
from kit.own_rows import OWN_TOML, own_file
from kit.small_runs import rights, run_folder
from kit.track_rows import humaneval_row, write_rows


def test_every_track_and_scheme_is_listed() -> None:
    assert [each.name for each in list_tracks()] == sorted(registry.TRACKS)
    assert [each.scheme for each in list_models()] == sorted(registry.MODELS)
    assert set(listing._SCHEMES) == set(registry.MODELS)
    by_name = {each.name: each for each in list_tracks()}
    assert (by_name["own"].judged, by_name["own"].measure) == ("executed", "pass@1")
    assert by_name["codecorrectness"].judged == "compared"


def test_a_scheme_of_another_package_says_what_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def opener() -> None:
        """Asks the moon.

        It answers late.
        """

    monkeypatch.setattr(registry, "names", lambda _: ["moon"])
    monkeypatch.setattr(registry, "find", lambda *_: opener)

    assert [each.about for each in list_models()] == ["Asks the moon."]


def test_runs_are_listed_the_newest_first(tmp_path: Path) -> None:
    """At any depth; unfinished and broken runs are marked."""
    old = run_folder(tmp_path / "runs" / "old", rights([1, 0], 1))
    new = run_folder(tmp_path / "runs" / "sub" / "new", rights([1, 1], 1))
    for path, date in ((old, "2026-01-01"), (new, "2026-02-01")):
        manifest = path / "run.json"
        manifest.write_text(manifest.read_text().replace("{", f'{{"finished": "{date}T00:00:00Z", ', 1))
    (run_folder(tmp_path / "runs" / "open", rights([1], 1)) / "scores.json").unlink()
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "run.json").write_text("{")
    (tmp_path / "runs" / "other").mkdir()
    write_json(tmp_path / "runs" / "other" / "run.json", {"what": "of another program"})

    runs = {Path(each.run).name: each for each in list_runs(tmp_path / "runs")}

    assert list(runs)[:2] == ["new", "old"]
    assert (runs["new"].measure, runs["new"].score and runs["new"].score.value) == ("pass@1", 1.0)
    assert runs["new"].date.startswith("2026-02-01")
    assert (runs["open"].state, runs["open"].score) == ("not finished", None)
    assert runs["broken"].state not in ("finished", "not finished")
    assert runs["other"].state not in ("finished", "not finished")


def test_files_that_a_track_reads_are_listed(tmp_path: Path) -> None:
    """Files inside a run folder and files that are no data sets are left out."""
    write_rows(tmp_path, humaneval_row())
    own_file(tmp_path)
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "tasks.toml").write_text(OWN_TOML)
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    (tmp_path / "broken.jsonl").write_text("{\n")
    run = run_folder(tmp_path / "run", rights([1], 1))
    own_file(run)

    found = [(each.data, each.track) for each in list_data(tmp_path)]
    assert not any(each.named or each.rows for each in list_data(tmp_path))

    assert found == [
        (f"{tmp_path}/deep/tasks.toml", "own"),
        (f"{tmp_path}/own.jsonl", "own"),
        (f"{tmp_path}/rows.jsonl", "humaneval"),
    ]


def test_named_sets_come_before_the_files_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has its facts, and whether a complete copy is stored."""
    (tmp_path / "mine").mkdir()
    own_file(tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    with only_known(tmp_path / "cache", made_data()):
        before, place = list_data(), find_data("own-twice").place
        put_cached(place, CONTENT)
        after = list_data()

    assert [(each.data, each.named, each.here) for each in before] == [
        ("own-twice", True, False),
        ("own.jsonl", False, True),
    ]
    assert [each.here for each in after] == [True, True]
    assert (after[0].rows, after[0].bytes, after[0].path) == (1, len(CONTENT), str(place))


def test_folders_are_looked_at_to_a_depth(tmp_path: Path) -> None:
    """Hidden folders are skipped."""
    for parts in (("a",) * 4, ("a",) * 5, (".hidden",)):
        folder = tmp_path.joinpath(*parts)
        folder.mkdir(parents=True, exist_ok=True)
        own_file(folder)

    assert [os.path.relpath(each.data, tmp_path) for each in list_data(tmp_path)] == ["a/a/a/a/own.jsonl"]
    with pytest.raises(UsageError, match="folder not found"):
        list_runs(tmp_path / "none")

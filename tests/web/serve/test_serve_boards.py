"""Leaderboards: figures are those of `rank` and `compare`; faults of a folder are shown on the page."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.records import SelfCheck
from benchwright.web.serve.run_index import folder_key
from kit.command_line import called
from kit.growing_folder import GrowingFolder, answer, verdict
from kit.made_runs import finished_run
from kit.small_data import humaneval

TASKS = 12
FAILED = {"alpha": {3}, "beta": {3, 5, 7, 8}, "gamma": set(range(11))}
HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return three runs of one data set."""
    data = humaneval(tmp_path, TASKS)
    for name, failed in FAILED.items():
        made(tmp_path / "runs" / name, data, failed)
    return tmp_path / "runs"


def made(path: Path, data: Path, failed: set[int], **options: Any) -> Path:
    """Return a run that fails these tasks."""
    rows = {f"Small/{n}": [("x", "wrong" if n in failed else "passed")] for n in range(TASKS)}
    return finished_run(path, data, rows, model=options.pop("model", f"openai:{path.name}"), **options)


def test_figures_are_those_of_the_commands(runs: Path, served: Callable[..., Any]) -> None:
    """JSON, CSV and the comparison of two runs agree to the last digit; the page shows them."""
    site = served(runs)
    board = site.board()
    paths = sorted(map(str, runs.iterdir()))
    keys = {name: site.key(name) for name in FAILED}
    page = site.get(board).text
    pair = {"a": keys["alpha"], "b": keys["gamma"]}
    compared = called("compare", str(runs / "alpha"), str(runs / "gamma"), "--json").document

    assert site.get(f"{board}/standing.json").json() == called("rank", *paths, "--json").document
    assert site.get(f"{board}/standing.csv").text == called("rank", *paths, "--csv", "-").out
    assert site.get(f"{board}/comparison.json", params=pair).json() == compared
    assert compared["sentence"].split(" (")[0] in site.get(f"{board}/comparison", params=pair).text
    assert "order not established" in page
    assert page.index("alpha") < page.index("gamma")
    assert site.get(f"{board}/comparison.csv", params=pair).text.count("\n") == 1 + len(compared["changes"])
    chosen = site.get(f"{board}/standing.json", params={"find": "A", "latest": "1"}).json()
    assert [row["name"] for row in chosen["places"]] == ["alpha", "beta", "gamma"]
    assert [site.get(path).status_code for path in ("/boards/0", f"{board}/comparison?a=x&b=y")] == [404, 404]
    same = {"a": keys["alpha"], "b": keys["alpha"]}
    assert site.get(f"{board}/comparison", params=same).status_code == 400
    assert site.get("/models", params={"model": "openai:beta"}).text.count("/runs/") == 1
    assert site.get("/models", params={"model": "none"}).status_code == 404


def test_runs_beyond_the_limit_are_ranked_on_further_pages(
    runs: Path, served: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page lists the ranked runs and links to the others; if every run is ranked it shows no limit."""
    site = served(runs)
    board = site.board()
    assert "Ranked here are" not in site.get(board).text
    monkeypatch.setattr("benchwright.web.serve.board_pages.MOST_RUNS", 2)
    first, last = site.get(board).text, site.get(board, params={"start": "2"}).text

    assert "Ranked here are runs 1 to 2 of 3" in first
    assert f'href="{board}?start=2">Earlier runs' in first
    assert "Ranked here are runs 3 to 3 of 3" in last
    assert f'href="{board}">Later runs' in last
    assert len(site.get(f"{board}/standing.json").json()["places"]) == 2


def test_permissions_and_lost_folders_are_on_the_page(
    runs: Path, served: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run is read-only as soon as its folder is; a lost folder is reported as the reason for missing runs."""
    site = served(runs)
    assert "read-only" not in site.get("/").text
    monkeypatch.setattr("benchwright.web.serve.run_index._is_read_only", lambda path: path.name == "beta")
    assert site.get("/").text.count("read-only</span>") == 1
    runs.rename(runs.parent / "elsewhere")
    page = site.get("/").text
    assert page.count(f"(gone): {runs}: cannot be read: No such file") == len(FAILED)


def test_the_index_follows_the_folders(runs: Path, tmp_path: Path, served: Callable[..., Any]) -> None:
    """Changed, moved, deleted, damaged and unfinished runs are reported; the index can be deleted."""
    site = served(runs, tmp_path / "none")
    assert "cannot be read: No such file" in site.get("/").text
    (runs / "alpha").rename(runs / "moved")
    shutil.rmtree(runs / "beta")
    (runs / "gamma/scores.json").write_text("{")
    (runs / "odd").mkdir()
    (runs / "odd/run.json").write_text("[")
    shutil.copytree(runs / "moved", runs / "later")
    manifest = json.loads((runs / "later/run.json").read_text())
    (runs / "later/run.json").write_text(json.dumps({**manifest, "version": "99.1"}))
    (runs / "later/scores.json").write_text("{")
    growing = GrowingFolder(runs / "live")
    growing.answers(answer("a", text=HOSTILE))
    growing.verdicts(verdict("a"))
    page = site.get("/").text
    live = site.get(f"/runs/{site.key('live')}").text
    growing.end()

    assert f"The folder was moved to {runs / 'moved'}" in page
    assert "The folder does not exist any more" in page
    assert "gamma</strong> (damaged)" in page
    assert "odd</strong> (damaged)" in page
    assert "later</strong> (newer): Benchwright 99.1 wrote it" in page
    assert "running" in live
    assert "No score before the run is finished" in live
    assert site.get(f"/runs/{folder_key(runs / 'beta')}").status_code == 410
    assert site.get("/runs/none").status_code == 404
    (tmp_path / "index.sqlite").unlink()
    again = served(runs)
    assert again.get("/").text.count('class="badge s-finished"') == 1
    assert again.board()


def test_a_broken_self_check_withholds_the_score(tmp_path: Path, served: Callable[..., Any]) -> None:
    """This holds on the run's page, in lists and in leaderboards; different settings have different
    leaderboards."""
    data = humaneval(tmp_path, TASKS)
    broken = SelfCheck(gold_passed=11, gold_total=12, stub_passed=0, stub_total=12)
    made(tmp_path / "runs/broken", data, set(), self_check=broken)
    made(tmp_path / "runs/old", data, {1}, judging=0)
    made(tmp_path / "runs/new", data, {2}, model="openai:" + HOSTILE)
    site = served(tmp_path / "runs")
    page = site.get("/").text
    run = site.get(f"/runs/{site.key('broken')}").text

    assert "11 of 12 reference solutions passed" in page
    assert "self-check failed" in run
    assert "100.0" not in run
    assert page.count('href="/boards/') == 2
    assert "<script>alert" not in page
    assert "A ranking needs at least two runs" in site.get(site.board()).text
    assert site.get(f"{site.board()}/standing.json").status_code == 409
    assert json.loads(site.get(f"/api/runs/{site.key('old')}/answers?task=Small/1").text)["document"]

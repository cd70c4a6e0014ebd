"""The overview: every model on every track, with ranks that the statistics support, and failed runs."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest

from benchwright.report.layout import lay_out
from benchwright.report.overview import COLUMNS, overview
from benchwright.report.pipeline import write_report
from benchwright.report.runs import all_tasks, by_track, load_runs
from benchwright.report.section import SectionData, TrackRuns
from benchwright.report.standing import orders
from benchwright.running.run_folders import NamedRuns, UnscoredRun
from kit.reported import STRONG, WEAK, run_of

AWAY = UnscoredRun("humaneval", "away", "no reply\x07")


def tracks_of(*paths: Path) -> list[TrackRuns]:
    """Return the runs by track, as the page has them."""
    found = orders(by_track(load_runs(paths)), metric=None)
    return [TrackRuns(order, all_tasks(order.runs)) for order in found]


def cells_of(found: SectionData) -> dict[str, list[list[str]]]:
    """Return each cell's value and rank, or its reason."""
    return {
        row.name: [
            [
                f"{cell.metric.value:.2f} {cell.place.range if cell.place else '-'}/{cell.models}"
                if cell.metric
                else cell.reason
                for cell in cells
            ]
            for cells in row.cells
        ]
        for row in found["rows"]
    }


def two_tracks(folder: Path) -> list[TrackRuns]:
    """Write runs of three models on one track, two of them equal, and of one on a second track."""
    same = [run_of(folder, name, counts) for name, counts in (("a", STRONG), ("b", STRONG), ("c", WEAK))]
    return tracks_of(*same, run_of(folder, "other-a", STRONG, track="ruhumaneval", model="openai:a"))


def test_a_place_is_a_range_where_models_are_not_separated(tmp_path: Path) -> None:
    """Two equal models share ranks 1 to 2; the only run of a track has none."""
    found = overview(two_tracks(tmp_path), [])

    assert cells_of(found) == {
        "a": [["0.94 1–2/3"], ["0.94 -/1"]],
        "b": [["0.94 1–2/3"], []],
        "c": [["0.23 3/3"], []],
    }
    assert [column.title for column in found["columns"]] == ["HumanEval", "ruHumanEval"]
    assert [column.key for column in found["columns"]] == ["humaneval", "ruhumaneval"]
    assert [title for title, _, _ in found["established"]] == ["HumanEval"]


def test_a_run_without_a_score_is_a_cell_with_its_reason(tmp_path: Path) -> None:
    """It is in the column of its track; a track without scores has a column without a link."""
    found = overview(two_tracks(tmp_path), [AWAY, UnscoredRun("mbpp", "a", "no key")])
    cells = cells_of(found)

    assert (cells["away"], cells["a"][2]) == ([["no reply\\x07"], [], []], ["no key"])
    assert [(column.name, column.key) for column in found["columns"]][2] == ("mbpp", "")


def test_the_csv_has_a_run_per_row(tmp_path: Path) -> None:
    """With shares, interval, tasks, samples, ranks and the day; a name that a spreadsheet would execute is
    text."""
    runs = [
        run_of(tmp_path, name, counts, model=f"openai:{model}")
        for name, model, counts in (("one", "=1+1", STRONG), ("two", "weak", WEAK))
    ]
    written = write_report(NamedRuns(list(map(str, runs)), [AWAY]), tmp_path / "r.html")
    first, second, failed = csv.DictReader(io.StringIO(written.csv))

    assert tuple(first) == COLUMNS
    assert (first["model"], first["track"], first["metric"]) == ("'=1+1", "humaneval", "pass@1")
    assert float(first["value"]) == pytest.approx(45 / 48)
    assert float(first["low"]) < float(first["value"]) < float(first["high"])
    assert (first["tasks"], first["samples"], first["date"]) == ("12", "4", "2026-11-21")
    assert [(row["place_best"], row["place_worst"], row["models"]) for row in (first, second)] == [
        ("1", "1", "2"),
        ("2", "2", "2"),
    ]
    assert (failed["model"], failed["value"], failed["reason"]) == ("away", "", "no reply\\x07")


def test_a_page_of_one_track_has_no_tabs(tmp_path: Path) -> None:
    """Its standing is the overview, with the day of each run, and the same CSV."""
    page = write_report(
        [run_of(tmp_path, "a", STRONG), run_of(tmp_path, "b", WEAK)], tmp_path / "r.html"
    ).page
    text = page.read_text(encoding="utf-8")

    assert ('id="tabs"' in text, 'class="panel' in text) == (False, False)
    assert text.count('<span class="whole">2026-11-21</span>') == 2
    assert 'href="data:text/csv;charset=utf-8,%EF%BB%BFtrack%2Cmodel' in text


def test_settings_of_a_track_are_in_its_part(tmp_path: Path) -> None:
    """Settings shared by all runs are shown once, in the method; the rest with its track."""
    groups = two_tracks(tmp_path)
    page = lay_out(groups, [None, None])
    own = [{fact.name for fact in part["facts"]["shared"]} for part in page["groups"]]

    assert {fact.name for fact in page["common_facts"]} >= {"limits", "scoring profile"}
    assert all("track" in names and "limits" not in names for names in own)
    assert [fact.name for fact in page["groups"][0]["facts"]["own"]] == ["model", "model: name"]


def test_cheats_name_their_track(tmp_path: Path) -> None:
    """The same kind of cheat of one model on two tracks has two rows."""
    runs = [
        run_of(tmp_path, f"{track}-a", STRONG, track=track, model="openai:a")
        for track in ("humaneval", "ruhumaneval")
    ]
    for run in runs:
        verdicts = run / "verdicts.jsonl"
        text = verdicts.read_text(encoding="utf-8").replace(
            '"outcome":"wrong"', '"outcome":"wrong","suspicious":"ends"'
        )
        verdicts.write_text(text, encoding="utf-8")
    page = write_report(runs, tmp_path / "r.html").page.read_text(encoding="utf-8")
    table = page.partition('id="cheats"')[2].partition("</table>")[0]

    assert re.findall(r'<th scope="row">ends</th><td>(.*?)</td>', table) == [
        '<span class="whole">humaneval</span>',
        '<span class="whole">ruhumaneval</span>',
    ]

"""Reports on runs of labels: their sections are present, others are left out; several tracks."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest

from benchwright.report.layout import lay_out
from benchwright.report.pipeline import write_report
from benchwright.report.runs import Run, all_tasks, by_track, load_runs
from benchwright.report.section import TrackRuns
from benchwright.report.standing import orders
from benchwright.report.tables import curve, measures_in, prompt_lines, score_lines
from benchwright.report.track_sections import baseline_lines, confusion, section_part
from kit.reported import STRONG as PROGRAMS
from kit.reported import run_of
from kit.small_labels import STRONG, WEAK, label_run

pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Path:
    """Write runs of labels, "strong" and "weak", and two of programs, "coder" and "other"."""
    place = tmp_path_factory.mktemp("reported")
    for name, styles in (("strong", STRONG), ("weak", WEAK)):
        label_run(place, name, styles)
    (place / "programs").mkdir()
    for name in ("coder", "other"):
        run_of(place / "programs", name, PROGRAMS)
    return place


@pytest.fixture(scope="module")
def runs(folder: Path) -> list[Run]:
    """Return the runs of labels."""
    return load_runs([folder / "runs" / name for name in ("strong", "weak")])


@pytest.fixture(scope="module")
def mixed(folder: Path) -> str:
    """Write the page over both tracks."""
    paths = [
        folder / "programs/coder",
        folder / "runs/weak",
        folder / "programs/other",
        folder / "runs/strong",
    ]
    write_report(paths, folder / "mixed.html")
    return (folder / "mixed.html").read_text(encoding="utf-8")


def _answers(page: str, number: int) -> Any:
    packed = re.search(rf'id="answers-{number}">([^<]+)<', page)
    assert packed
    return json.loads(zlib.decompress(base64.b64decode(packed[1])))


def test_confusion_is_by_true_label(runs: list[Run]) -> None:
    """Success precedes failed on both sides, answers without a label are last; rows add up to the tasks of a
    label."""
    table = confusion(runs[1])

    assert table.said == ["said success", "said failed", "no label"]
    assert [label for label, _ in table.rows] == ["success", "failed"]
    assert [sum(cell.number for cell in cells) for _, cells in table.rows] == [6, 6]
    assert table.rows[0][1][2].share == "33.3 %"


def test_baselines_are_of_the_data_set(runs: list[Run]) -> None:
    """The majority is present; shape needs enough rows, otherwise its reason is shown."""
    part = section_part(runs)

    assert part is not None
    assert [line.name for line in baseline_lines(runs)] == ["always failed (baseline)"]
    assert "The second is not here: a shape baseline needs two labels" in part["about_baselines"]


def test_groups_have_a_row_for_each_run(runs: list[Run]) -> None:
    """Languages and subsets with exact match and MCC of each run."""
    part = section_part(runs)
    tables = {table.kind: table for table in part["groups"]} if part else {}

    assert [row.name for row in tables["language"].rows] == ["Go", "Java", "Python"]
    assert {len(row.metrics) for table in tables.values() for row in table.rows} == {4}
    assert sum(row.tasks for row in tables["subset"].rows) == 12


def test_findings_are_told_by_run(runs: list[Run]) -> None:
    """Only the run that is no better than a baseline has one."""
    part = section_part(runs)

    assert part is not None
    assert {name for name, _ in part["findings"]} == {"weak"}


def test_what_does_not_apply_is_left_out(runs: list[Run]) -> None:
    """There is no pass@k curve, no times, no empty section; metrics are in their own order."""
    (order,) = orders(by_track(runs), metric=None)
    page = lay_out([TrackRuns(order, all_tasks(runs))], [None])
    anchors = [anchor for anchor, _ in page["contents"]]

    assert (curve(runs), page["groups"][0]["tasks"]["timed"], page["groups"][0]["tasks"]["slowest"]) == (
        [],
        False,
        [],
    )
    assert anchors == ["standing", "comparisons", "outcomes", "labels", "tasks", "all-tasks", "method"]
    assert [each.title for each in measures_in(runs, score_lines(runs))] == [
        "exact match",
        "balanced accuracy",
        "MCC",
        "macro-F1",
        "no label",
    ]
    assert prompt_lines(runs[0]) == []


def test_programs_have_no_part_of_labels(folder: Path) -> None:
    """Its page has no such section."""
    runs = load_runs([folder / "programs/coder"])

    assert (section_part(runs), baseline_lines(runs), runs[0].prefix) == (None, [], "")


def test_the_baseline_is_in_the_table_of_the_standing(mixed: str) -> None:
    """As in the chart above: a row without a rank, with its tasks."""
    table = mixed.partition('id="standing-2"')[2].partition("</table>")[0]
    row = table.partition('<tr class="baseline">')[2].partition("</tr>")[0]

    assert "(baseline)</span></th>" in row
    assert '<span class="nil">–</span></td><th' in row
    assert row.count('class="range"') >= 2


def test_a_negative_correlation_is_shown(folder: Path, tmp_path: Path) -> None:
    """It is a number with its sign, never a percentage."""
    wrong = label_run(tmp_path, "wrong", [("plain", False), ("plain", False), ("plain", True)])
    write_report([wrong], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert re.search(r'data-value="-0\.33\d*">−0\.33 <span class="range">−0\.\d\d to 0\.\d\d</span>', page)


def test_several_tracks_are_grouped(mixed: str) -> None:
    """Each has its own part and standing; anchors are unique; there is one list of all answers."""
    ids = re.findall(r'<(?!script)[^>]* id="([^"]+)"', mixed)

    assert len(ids) == len(set(ids))
    assert re.findall(r'class="track" id="([^"]+)"><h2>([^<]+)', mixed) == [
        ("track=humaneval", "HumanEval"),
        ("track=codecorrectness", "CodeCorrectness"),
    ]
    assert "<h1>4 runs on HumanEval and CodeCorrectness</h1>" in mixed
    assert ["strong is right more often than weak" in mixed, "pass@k: by number of answers" in mixed] == [
        True,
        True,
    ]
    assert mixed.count('class="tasks sortable"') == 2


def test_answers_are_found_by_the_number_of_the_page(mixed: str) -> None:
    """Tasks and runs are numbered over the page: answers with labels follow those with programs."""
    known = json.loads(re.search(r'id="meta">(.+?)</script>', mixed)[1])  # type: ignore[index]
    program, label = _answers(mixed, 0), _answers(mixed, known["tasks"].index("codecorrectness 2"))

    assert ([len(rows) for rows in program["answers"]], program.get("labels")) == ([4, 4, 0, 0], None)
    assert [len(rows) for rows in label["answers"]] == [0, 0, 1, 1]
    assert (known["models"][2:], known["several"]) == (
        ["codecorrectness strong", "codecorrectness weak"],
        True,
    )


def test_an_answer_has_what_it_said_and_what_was_expected(mixed: str) -> None:
    """With the rule, and without an execution or a program."""
    known = json.loads(re.search(r'id="meta">(.+?)</script>', mixed)[1])  # type: ignore[index]
    label = _answers(mixed, known["tasks"].index("codecorrectness 3"))
    strong, weak = label["answers"][2][0], label["answers"][3][0]

    assert (label["labels"], label["expected"], label["programs"], label["canonical"]) == (
        True,
        "success",
        [],
        [],
    )
    assert (strong["said"], weak["said"], weak["outcome"]) == ("success", "no label", "unparsable")
    assert strong["rule"].startswith("tolerant+")
    assert {"program", "cpu", "wall", "isolation"} & set(strong) == set()


def test_a_metric_of_one_track_leaves_the_other_its_own(folder: Path) -> None:
    """`--metric` may be one that only one of them has; one that none has is refused."""
    groups = by_track(load_runs([folder / "programs/coder", folder / "runs/weak"]))

    assert [order.metric for order in orders(groups, metric="exact_match")] == ["pass@1", "exact_match"]
    assert [order.metric for order in orders(groups, metric=None)] == ["pass@1", "exact_match"]

"""The view shows the same answers as the report: programs, labels and grades."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.report.answer_packing import pack_all
from benchwright.report.graded_answers import Assessments, GradedRunData
from benchwright.report.programs import open_programs
from benchwright.report.runs import load_runs
from benchwright.report.section import TrackRuns
from benchwright.report.standing import orders
from benchwright.web.view.board import RunBoard, run_key
from benchwright.web.view.packing_process import Packing, PackReply, PackRequest
from benchwright.web.view.pages import _request
from kit.graded_runs import ANSWER, COMMENTS, graded_run, rules
from kit.made_runs import finished_run
from kit.small_data import humaneval
from kit.view_process import answer_text

EARLIER = Path(__file__).parents[2] / "earlier_runs"


def of_report(run: Path) -> list[dict[str, Any]]:
    """Return the answers to each task as a report packs them."""
    runs = load_runs([run])
    [order] = orders([runs], metric=None)
    group = TrackRuns(order, list(runs[0].tally.cells))
    programs, _ = open_programs([runs[0].folder])
    graded = (
        [GradedRunData(runs[0].tally, Assessments(runs[0].folder), runs[0].calibrated)]
        if group.graded
        else []
    )
    packed = pack_all(group.tasks, [runs[0].tally], programs, labels=group.labels, graded=graded)
    return [json.loads(zlib.decompress(base64.b64decode(each.text))) for each in packed]


def of_view(run: Path) -> list[PackReply]:
    """Return the answers as the view packs them."""
    board, key = RunBoard(run.parent), run_key(run, run.parent)
    tasks = board.with_run(
        key, lambda each: list(dict.fromkeys(str(row.task_id) for row in each.rows.values()))
    )
    assert tasks is not None
    packing = Packing()
    requests = [_request(board, key, [], task) for task in tasks]
    return [packing.reply(msgspec.json.encode(request)) for request in requests]


def programs_run(folder: Path) -> Path:
    """Return a run of programs: passed, failed, and without code."""
    rows = {
        f"Small/{number}": [
            (answer_text(number, outcome), outcome) for outcome in ("passed", "wrong", "no_code")
        ]
        for number in range(2)
    }
    return finished_run(folder / "run", humaneval(folder, 2), rows)


def grades_run(folder: Path) -> Path:
    """Return a run of comments with scores."""
    return graded_run(
        folder / "run", COMMENTS, {1: [(ANSWER, "scored", {"scores": rules()})], 2: [("", "no_code", {})]}
    )


def labels_run(_folder: Path) -> Path:
    """Return a run of labels of an earlier version."""
    return EARLIER / "codecorrectness-strong"


@pytest.mark.parametrize("make", [programs_run, grades_run, labels_run])
def test_a_finished_run_is_shown_as_in_its_report(tmp_path: Path, make: Any) -> None:
    """The fields are compared one by one."""
    run = make(tmp_path)
    replies = of_view(run)

    assert [each.error for each in replies] == [""] * len(replies)
    assert json.loads(msgspec.json.encode([each.document for each in replies])) == of_report(run)


def test_a_request_that_cannot_be_served_is_an_error(tmp_path: Path) -> None:
    """A removed folder is reported as text for the page."""
    run = programs_run(tmp_path)
    board, key = RunBoard(tmp_path), run_key(run, tmp_path)
    request: PackRequest = _request(board, key, [], "Small/0")
    run.rename(tmp_path / "moved")
    reply = Packing().reply(msgspec.json.encode(request))

    assert reply.document == {}
    assert "path not found" in reply.error

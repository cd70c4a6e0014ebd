"""Stored answers as programs: those that pass and are wrong, those that fail and agree, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.auditing.row_loading import load_audit
from benchwright.auditing.stored_answers import read_answers
from benchwright.errors import UsageError
from benchwright.executing.pool import Pool
from kit.audit_rows import narrow, sound, weak
from kit.audited import answered, audited, findings
from kit.needs import need_sandbox
from kit.small_data import humaneval


def test_planted_tasks_are_found_among_sound_ones(tmp_path: Path) -> None:
    """Two weak and two narrow tasks among four sound ones: all four, each by its own code, and no other."""
    need_sandbox()
    given = [*map(sound, range(2, 6)), *map(weak, range(2)), *map(narrow, range(2))]
    run = answered(tmp_path, given)

    with Pool(workers=2) as pool:
        report = audited(tmp_path, [task for task, _ in given], pool, answers=[run])

    found = {
        (each.task, each.code)
        for each in findings(report)
        if each.code in ("answer_differs", "right_answers_fail")
    }
    assert found == {
        *((f"Own/cap_{number}", "answer_differs") for number in range(2)),
        *((f"Own/multiples_{number}", "right_answers_fail") for number in range(2)),
    }
    assert (report.answers, report.answers_unfit) == (4 * len(given), 0)
    for each in findings(report):
        if each.code == "answer_differs":
            assert (each.call != "", each.gold != each.other, each.test) == (True, True, "")


def test_a_run_of_other_data_is_refused(tmp_path: Path) -> None:
    """Answers to tasks that are not audited would be silence taken for agreement."""
    need_sandbox()
    run = answered(tmp_path, [sound(3)])
    (tmp_path / "other").mkdir()
    other = humaneval(tmp_path / "other")

    with pytest.raises(UsageError, match="none of its answers belongs to a task of this data set"):
        read_answers([run], load_audit(other).tasks, other)

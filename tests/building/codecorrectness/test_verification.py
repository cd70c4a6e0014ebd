"""Verifying: labels held against executions, every row in exactly one finding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.building.codecorrectness.row_records import load_rows
from benchwright.building.codecorrectness.verification import (
    FINDINGS,
    VerificationReport,
    default_folder,
    verify,
    write_corrected,
)
from benchwright.errors import DataError, UsageError
from benchwright.executing.suite_runners import Runners
from kit.fake_suites import FakeGo, FakeJava, FakeSuites
from kit.made_repositories import lines, row

_FAKES = {"Python": FakeSuites, "Java": FakeJava, "Go": FakeGo}
_ROWS = [
    row(1, "success", remark="ends: success"),
    row(2, "success", remark="ends: assertion"),
    row(3, "failed", remark="ends: assertion"),
    row(4, "failed", remark="ends: success"),
    row(5, "success", remark="ends: flaky"),
    row(6, "failed", remark="ends: environment"),
    row(7, "success", remark="ends: tampered"),
    row(8, "success", remark="ends: sandbox_error"),
    row(9, "", remark="ends: success"),
]
_EXPECTED = {
    "agrees": 2,
    "wrong_label": 2,
    "unlabelled": 1,
    "flaky": 1,
    "environment": 1,
    "tampered": 1,
    "sandbox_error": 1,
    "absent": 0,
    "no_layout": 1,
}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    FakeSuites.executed.clear()
    yield
    FakeSuites.executed.clear()
    FakeSuites.stop_after = None


def _apart() -> dict[str, object]:
    """A row whose test has nothing to do with its focal file."""
    inputs = {"focal_code": "x = 1\n", "test_code": "def test_a(:\n", "lang": "Python"}
    return row(10, "failed", inputs=inputs)


def _verify(path: Path, repeat: int = 3) -> VerificationReport:
    runners = Runners(lambda lang: _FAKES[lang]())
    return verify(path, out=path.parent / "out", repeat=repeat, runners=runners)


def test_every_row_ends_in_one_finding(tmp_path: Path) -> None:
    """All ways to end, each counted where it belongs, and the counts add up."""
    report = _verify(lines(tmp_path / "rows.jsonl", [*_ROWS, _apart()]))

    assert (report.counts, sum(report.counts.values())) == (_EXPECTED, report.rows)
    assert (report.agreement, report.checked, set(report.counts)) == (0.5, 4, set(FINDINGS))


def test_a_wrong_label_is_told_with_its_row(tmp_path: Path) -> None:
    """Id, place, both labels, how often it passed and how it failed."""
    report = _verify(lines(tmp_path / "rows.jsonl", _ROWS))
    wrong = [each for each in report.findings if each.finding == "wrong_label"]

    assert [(each.task_id, each.published, each.executed, each.passes, each.runs) for each in wrong] == [
        (2, "success", "failed", 0, 3),
        (4, "failed", "success", 3, 3),
    ]
    assert (wrong[0].origin, wrong[0].kinds) == (f"{tmp_path / 'rows.jsonl'}:2", {"assertion": 3})


def test_an_absent_toolchain_leaves_the_rest(tmp_path: Path) -> None:
    """Rows in Go are absent, with what to install; rows in Python are verified."""
    inputs = {
        "focal_code": "package sums\n\nfunc Sum(a, b int) int { return a + b }\n",
        "test_code": 'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n'
        '\tif Sum(1, 2) != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n',
        "lang": "Go",
    }
    report = _verify(lines(tmp_path / "rows.jsonl", [_ROWS[0], row(2, inputs=inputs)]))

    assert (report.counts["absent"], report.counts["agrees"]) == (1, 1)
    assert report.absent == {"Go": "there is no Go; apt-get install golang-go"}


def test_it_goes_on_where_it_was_ended(tmp_path: Path) -> None:
    """A row is executed once a variation, however often the command was ended."""
    path = lines(tmp_path / "rows.jsonl", _ROWS[:4])
    for stop in (3, 7):
        FakeSuites.stop_after = stop
        with pytest.raises(KeyboardInterrupt):
            _verify(path)
    FakeSuites.stop_after = None
    report = _verify(path)

    assert (len(FakeSuites.executed), len(set(FakeSuites.executed)), report.rows) == (12, 12, 4)


def test_the_folder_tells_everything(tmp_path: Path) -> None:
    """Executions, findings and the report are files of their own."""
    _verify(lines(tmp_path / "rows.jsonl", _ROWS[:3]))
    out = tmp_path / "out"
    findings = [json.loads(line)["finding"] for line in (out / "findings.jsonl").read_text().splitlines()]
    report = json.loads((out / "report.json").read_text())

    assert (findings, len((out / "executions.jsonl").read_text().splitlines())) == (
        ["agrees", "wrong_label", "agrees"],
        9,
    )
    assert (report["rows"], report["counts"]["wrong_label"], report["toolchains"]) == (
        3,
        1,
        {"Python": {"python": "1.0"}},
    )


def test_a_corrected_copy(tmp_path: Path) -> None:
    """Labels from execution, unknown keys untouched, rows without a steady label left out and counted."""
    path = lines(tmp_path / "rows.jsonl", [*_ROWS, _apart()])
    copy = write_corrected(path, tmp_path / "good.jsonl", findings=_verify(path).findings)
    rows = [raw for _, raw in load_rows(tmp_path / "good.jsonl")]

    assert (copy.kept, copy.changed, copy.filled) == (2, 2, 1)
    assert copy.left_out == {"environment": 1, "flaky": 1, "no_layout": 1, "sandbox_error": 1, "tampered": 1}
    assert {raw["meta"]["id"]: raw["outputs"] for raw in rows} == {
        1: "success",
        2: "failed",
        3: "failed",
        4: "success",
        9: "success",
    }
    assert ({**rows[0], "outputs": None}, rows[1]["meta"]) == (
        {**_ROWS[0], "outputs": None},
        _ROWS[1]["meta"],
    )


@pytest.mark.parametrize("rows", [_ROWS[:3], _ROWS[4:5]])
def test_a_corrected_document(tmp_path: Path, rows: list[dict[str, object]]) -> None:
    """A name in .json gets MERA's document, also when no row is left."""
    path = lines(tmp_path / "rows.jsonl", rows)
    copy = write_corrected(path, tmp_path / "test.json", findings=_verify(path).findings)
    document = json.loads((tmp_path / "test.json").read_text())

    assert (document["access"], len(document["data"])) == ("public", copy.kept + copy.changed)


def test_a_corrected_copy_verifies(tmp_path: Path) -> None:
    """What was written agrees in full, without one more execution of its rows."""
    path = lines(tmp_path / "rows.jsonl", _ROWS)
    write_corrected(path, tmp_path / "good.jsonl", findings=_verify(path).findings)
    before = len([code for code, _ in FakeSuites.executed if "sandbox_error" not in code])
    report = _verify(tmp_path / "good.jsonl")
    after = len([code for code, _ in FakeSuites.executed if "sandbox_error" not in code])

    assert (report.agreement, report.counts["agrees"], after) == (1.0, 5, before)


def test_code_that_was_escaped_twice(tmp_path: Path) -> None:
    """It is read as it was meant, and the report says how often."""
    plain = row(1, remark="ends: success")
    inputs = {key: value.replace("\n", "\\n") for key, value in plain["inputs"].items()}
    report = _verify(lines(tmp_path / "rows.jsonl", [{**plain, "inputs": inputs}]))

    assert (report.unescaped, report.counts["agrees"]) == (1, 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"outputs": "succeed"}, "field `outputs`: 'succeed' is not a label"),
        ({"meta": {}}, "field `meta.id`: the field is missing"),
        ({"inputs": {"focal_code": "x", "test_code": "x"}}, "field `inputs.lang`: the field is missing"),
        ({"inputs": {"focal_code": "x", "test_code": "x", "lang": "Cobol"}}, "field `inputs.lang`"),
        (
            {"inputs": {"focal_code": " ", "test_code": "x", "lang": "Go"}},
            "field `inputs.focal_code`: is empty",
        ),
        ({"instruction": "Passes?"}, "does not show `focal_code` to the model"),
        ({"inputs": {"focal_code": 1, "test_code": "", "lang": "Go"}}, "must be a string, not a number"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, changed: dict[str, object], said: str) -> None:
    """File, line, task and field of what is wrong; nothing is executed."""
    path = lines(tmp_path / "rows.jsonl", [row(1), row(2, **changed)])
    with pytest.raises(DataError) as caught:
        _verify(path)

    assert (f"{path}:2" in caught.value.message, said in caught.value.message, FakeSuites.executed) == (
        True,
        True,
        [],
    )


def test_a_label_that_is_null_is_hidden(tmp_path: Path) -> None:
    """As an empty one; the corrected copy fills it in."""
    path = lines(tmp_path / "rows.jsonl", [row(1, None, remark="ends: success")])
    report = _verify(path)
    copy = write_corrected(path, tmp_path / "good.jsonl", findings=report.findings)
    (raw,) = [json.loads(line) for line in (tmp_path / "good.jsonl").read_text().splitlines()]

    assert (report.counts["unlabelled"], copy.filled, raw["outputs"]) == (1, 1, "success")


def test_an_id_twice(tmp_path: Path) -> None:
    """A finding must name one row."""
    with pytest.raises(DataError, match="line 1 has it too"):
        _verify(lines(tmp_path / "rows.jsonl", [row(1), row(1)]))


def test_no_rows(tmp_path: Path) -> None:
    """An empty file is no data set."""
    with pytest.raises(DataError, match="no rows"):
        _verify(lines(tmp_path / "rows.jsonl", []))


def test_no_repeats(tmp_path: Path) -> None:
    """Nothing can be said of what was never executed."""
    with pytest.raises(UsageError, match="--repeat 0"):
        _verify(lines(tmp_path / "rows.jsonl", _ROWS), repeat=0)


def test_the_default_folder() -> None:
    """The same data has the same folder, so a second command goes on."""
    assert str(default_folder("sets/test.json", "0123456789abcdef")) == "runs/verify-test-01234567"

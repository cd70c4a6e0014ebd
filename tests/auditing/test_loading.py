"""Loading of all row formats: each fault has its place, and other rows are still read."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest

from benchwright.auditing.row_loading import load_audit
from benchwright.contracts import BatchSpec, LevelsSpec, ValuesSpec
from benchwright.errors import DataError, UsageError
from kit.audit_rows import entry_row, mbpp_row, row, sound
from kit.small_data import humaneval_row, mera_row, write


def test_each_row_is_read_by_its_own_shape(tmp_path: Path) -> None:
    """A file may mix shapes: what a row holds says which it is."""
    loaded = load_audit(
        write(tmp_path / "rows.jsonl", [humaneval_row(0), mera_row(1), mbpp_row(), entry_row()])
    )

    assert [task.shape for task in loaded.tasks] == ["humaneval", "ruhumaneval", "mbpp", "aicodereval"]
    assert (loaded.unreadable, loaded.rows) == ([], 4)
    assert all(
        isinstance(task.solved.spec, BatchSpec | LevelsSpec) and not task.lacks for task in loaded.tasks
    )


def test_the_gold_is_a_whole_program(tmp_path: Path) -> None:
    """The completion of a prompt is joined with it, as the track joins an answer."""
    [task] = load_audit(write(tmp_path / "rows.jsonl", [humaneval_row(2)])).tasks

    assert "def plus_2(x):" in task.solved.gold
    assert "return x + 2" in task.solved.gold


BAD: list[tuple[str, str, str]] = [
    ("{", "rows.jsonl:2", "JSON"),
    ("[1]", "rows.jsonl:2", "must be a JSON object"),
    ('{"a": 1}', "rows.jsonl:2", "no track reads such a row"),
    ('{"prompt": 1, "test": "", "task_id": "x"}', "field `prompt`", "must be a string"),
    (json.dumps(humaneval_row(1, test="def check(candidate:")), "field `test`", "does not parse"),
    (
        json.dumps(humaneval_row(1, entry_point="not one")),
        "field `entry_point`",
        "cannot be a function's name",
    ),
    (json.dumps(humaneval_row(0)), "task Small/0", "duplicate id"),
    (json.dumps(mera_row(1, outputs=["1"])), "field `outputs`", "1 outputs for 2 tests"),
    (json.dumps(mbpp_row(test_list="assert 1")), "field `test_list`", "must be a list of texts"),
    (json.dumps(mbpp_row(test_list=[])), "field `test_list`", "contains no assert"),
    (json.dumps(mbpp_row(test_list=["print(1)"])), "field `test_list.0`", "must contain asserts only"),
    (json.dumps(mbpp_row(test_list=["assert ("])), "field `test_list.0`", "does not parse"),
    (
        json.dumps(mbpp_row(test_list=["assert other(1) == 2"])),
        "field `test_list`",
        "does not call a function",
    ),
    (json.dumps(entry_row(cases=[])), "field `cases`", "has no test case"),
    (json.dumps(entry_row(implementation="")), "field `implementation`", "is empty"),
    (json.dumps(mbpp_row(test_setup_code="import (")), "field `test_setup_code`", "does not parse"),
]


@pytest.mark.parametrize(("line", "place", "reason"), BAD, ids=[reason for _, _, reason in BAD])
def test_a_bad_row_is_named_and_the_others_go_on(line: str, place: str, reason: str, tmp_path: Path) -> None:
    """Place, reason and the rows around it: nothing is lost, nothing stops."""
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join([json.dumps(humaneval_row(0)), line, json.dumps(humaneval_row(2))]))

    loaded = load_audit(path)

    assert [task.unit for task in loaded.tasks] == ["Small/0", "Small/2"]
    [row] = loaded.unreadable
    assert (place in row.place, reason in row.reason, "rows.jsonl:2" in row.place) == (True, True, True), row


def test_a_file_that_breaks_off_keeps_the_rows_before(tmp_path: Path) -> None:
    """What a cut download still holds is audited, and the cut is one more row that is named."""
    noise = random.Random(0)
    rows = [humaneval_row(n, note=noise.randbytes(2000).hex()) for n in range(400)]
    packed = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(packed[: len(packed) // 2])

    loaded = load_audit(path)

    assert len(loaded.tasks) > 10
    assert len(loaded.unreadable) == 1


@pytest.mark.parametrize("row", [{}, {"a": 1}], ids=["empty", "other"])
def test_a_file_without_a_task_is_an_error(row: dict[str, Any], tmp_path: Path) -> None:
    """Nothing to audit is no audit."""
    with pytest.raises(DataError, match="no track reads such a row"):
        load_audit(write(tmp_path / "rows.jsonl", [row]))


def test_labels_go_to_verify(tmp_path: Path) -> None:
    """A data set of labels is refused with the command that checks it."""
    row = {
        "instruction": "?",
        "inputs": {"focal_code": "", "test_code": ""},
        "outputs": "",
        "meta": {"id": 1},
    }
    with pytest.raises(UsageError) as refused:
        load_audit(write(tmp_path / "rows.jsonl", [row]))

    assert "verify" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("row", "lacks"),
    [
        (humaneval_row(0, canonical_solution=""), "the row has no solution"),
        (
            {key: value for key, value in humaneval_row(0).items() if key != "canonical_solution"},
            "the row has no solution",
        ),
        (mbpp_row(code=""), "the row has no solution"),
    ],
    ids=["empty", "absent", "mbpp"],
)
def test_a_row_without_a_gold_is_kept_and_says_so(row: dict[str, Any], lacks: str, tmp_path: Path) -> None:
    """It is audited as far as it can be."""
    [task] = load_audit(write(tmp_path / "rows.jsonl", [row])).tasks

    assert (task.lacks, task.solved.gold) == (lacks, "")


def test_hidden_outputs_leave_the_calls(tmp_path: Path) -> None:
    """A private MERA row has calls and no values."""
    hidden = mera_row(1, outputs=["", ""])
    hidden["meta"].pop("canonical_solution")
    [task] = load_audit(write(tmp_path / "rows.jsonl", [hidden])).tasks

    assert (task.lacks, type(task.solved.spec)) == ("the outputs are hidden", ValuesSpec)


def test_an_entry_with_a_suite_is_not_executed(tmp_path: Path) -> None:
    """Its tests are a program beside the solution: static findings only, and it says so."""
    [task] = load_audit(
        write(tmp_path / "rows.jsonl", [entry_row(cases=[], suite="def test_mean(): ...")])
    ).tasks

    assert ("pytest suite" in task.lacks, task.solved.entry_point) == (True, "mean")


def test_one_shape_for_all_refuses_the_others(tmp_path: Path) -> None:
    """With the track named a row of another shape is a fault, not another task."""
    loaded = load_audit(write(tmp_path / "rows.jsonl", [humaneval_row(0), mera_row(1)]), shape="humaneval")

    assert ([task.shape for task in loaded.tasks], len(loaded.unreadable)) == (["humaneval"], 1)


@pytest.mark.parametrize(
    "number",
    ["0x" + "f" * 4000, "0b" + "1" * 20000, "0o" + "7" * 6000, "0X" + "F_" * 3000 + "F"],
    ids=["hexadecimal", "binary", "octal", "underscores"],
)
def test_a_solution_that_writes_out_a_long_integer_is_one_unreadable_row(number: str, tmp_path: Path) -> None:
    """Its tree has no text; the other rows are read."""
    long = row("long", "Give it.", f"    return {number}\n", ["assert candidate(1) == 2"])
    found = load_audit(write(tmp_path / "rows.jsonl", [sound(3)[0], long, mbpp_row()]))

    assert [task.unit for task in found.tasks] == ["Own/scale_3", "11"]
    [fault] = found.unreadable
    assert ("4,300 digits" in fault.reason, "2" in fault.place, fault.hint) == (True, True, "compute it")

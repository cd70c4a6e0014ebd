"""Reading HumanEval and writing the files that all contestants share."""

import ast
import gzip
import json

import pytest

from benchmarks import dataset
from benchmarks.dataset import Row
from benchwright.errors import DataError, PrerequisiteError

ROW = {
    "task_id": "Example/1",
    "prompt": 'def one():\n    """1"""\n',
    "entry_point": "one",
    "canonical_solution": "    return 1\n",
    "test": "def check(candidate):\n    assert candidate() == 1\n",
}


@pytest.fixture
def rows() -> list[Row]:
    """Two tasks."""
    return [Row(**ROW), Row(**{**ROW, "task_id": "Example/2"})]


def test_an_absent_file_says_how_to_get_it(tmp_path):
    """The hint is a command to paste."""
    with pytest.raises(PrerequisiteError) as caught:
        dataset.load(tmp_path / "HumanEval.jsonl.gz")

    assert "curl -L -o HumanEval.jsonl.gz" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_rows_are_read_plain_or_compressed(tmp_path, name):
    """The file's name decides; blank lines are nothing."""
    text = (json.dumps(ROW) + "\n\n").encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)

    assert [Row(**ROW)] == dataset.load(path)


def test_a_row_without_a_field_is_named(tmp_path):
    """The message has the line and the field."""
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(ROW) + '\n{"task_id": "Example/2"}\n')

    with pytest.raises(DataError, match=r"rows\.jsonl:2: .*prompt"):
        dataset.load(path)


def test_a_file_that_is_not_gzip_is_named(tmp_path):
    """A wrong compression is a wrong file, not a traceback."""
    path = tmp_path / "rows.jsonl.gz"
    path.write_text("plain")

    with pytest.raises(DataError, match="not a gzip file"):
        dataset.load(path)


def test_an_empty_file_is_refused(tmp_path):
    """A comparison of nothing would divide by nothing."""
    path = tmp_path / "rows.jsonl"
    path.write_text("\n")

    with pytest.raises(DataError, match="no rows"):
        dataset.load(path)


def test_a_subset_keeps_the_order_of_the_data(rows):
    """Ids come as a set, rows as they stand in the file."""
    found = dataset.subset(rows, {"Example/2", "Example/1", "Example/9"})

    assert rows == found


def test_samples_of_one_task_are_different_programs(rows):
    """No cache of equal programs can make a contestant look quick."""
    samples = dataset.canonical_samples(rows, 10)

    assert (len(samples), len({each.completion for each in samples})) == (20, 10)


def test_samples_are_the_canonical_program(rows):
    """The closing comment changes no program."""
    trees = {
        ast.dump(ast.parse(rows[0].prompt + each.completion))
        for each in dataset.canonical_samples(rows[:1], 3)
    }

    assert {ast.dump(ast.parse(rows[0].prompt + rows[0].canonical_solution))} == trees


def test_a_workload_knows_its_size(rows, tmp_path):
    """Two tasks with three samples are six executions, one row each."""
    load = dataset.write_workload(rows, 3, folder=tmp_path / "load")

    assert (
        load.executions,
        len(load.samples.read_text().splitlines()),
        len(load.problems.read_text().splitlines()),
    ) == (6, 6, 2)

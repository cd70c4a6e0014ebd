"""Scores out of lm-eval's sample files: filters, ids, directions, and what is wrong with a row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.interop.lm_eval_scores import READER
from kit.tool_logs import LM_EVAL, TIME, lm_eval_log, row


def test_a_real_log_has_a_metric_for_each_filter() -> None:
    """The names are the keys of lm-eval's own results, and so are the means."""
    [path] = READER.files(LM_EVAL["weak"])
    log = READER.read(path, texts=True)
    means = {name: sum(each.scores[name] for each in log.samples) / len(log.samples) for name in log.reported}

    assert (log.tool, log.task, log.model, len(log.samples)) == ("lm-eval", "sums", "Stub/weak", 24)
    assert means == log.reported == {"exact_match,number": 0.75, "exact_match,none": 0.25}
    assert [each.task_id for each in log.samples[:2]] == ["sum-00000", "sum-00001"]
    assert log.notes == []
    assert log.samples[1].text == "The sum is 17."


def test_ids_come_from_the_first_place_that_tells_all_apart(tmp_path: Path) -> None:
    """A name that two documents share is none: then the number counts, which is said."""
    rows = [row(number, 1.0, doc={"name": "same"}) for number in range(2)]
    log = READER.read(lm_eval_log(tmp_path, rows))

    assert [each.task_id for each in log.samples] == [0, 1]
    assert "its tasks are known by their numbers in the data set, `doc_id`" in log.notes


def test_directions_and_counts_come_from_the_results(tmp_path: Path) -> None:
    """Lower may be better, and a file that was cut does not have the samples that were counted."""
    results = {"higher_is_better": {"sums": {"acc": False}}, "n-samples": {"sums": {"effective": 3}}}
    log = READER.read(lm_eval_log(tmp_path, [row(0, 1.0), row(1, 0.0)], results))

    assert log.measures[0].higher_is_better is False
    assert "the results file counts 3 samples, but the log has 2" in log.notes


def test_a_value_for_the_whole_corpus_is_named(tmp_path: Path) -> None:
    """BLEU's pairs are no number a sample."""
    rows = [row(0, 1.0, metrics=["acc", "bleu"], bleu=["a", "b"])]
    log = READER.read(lm_eval_log(tmp_path, rows))

    assert log.notes[0] == "bleu,none is not one number a sample in 1 rows"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([row(0, 1.0), row(0, 0.0)], r":2, field `doc_id`: document 0 is on line 1 already"),
        ([row(None, 1.0)], r":1, field `doc_id`: missing document number"),
        ([row(0, 1.0, filter=3)], r":1, field `filter`: must be a string"),
        ([row(0, 1.0, metrics="acc")], r":1, field `metrics`: must be an array"),
        ([row(0, 1.0, metrics=["f1"])], r":1, field `f1`: the row lists this metric"),
        ([row(0, "high")], r"field `metrics`: no row has a metric"),
        ([], r"the file is empty"),
    ],
)
def test_a_wrong_row_is_named_by_its_line(tmp_path: Path, rows: list[dict[str, Any]], said: str) -> None:
    """File, line and field."""
    with pytest.raises(DataError, match=said):
        READER.read(lm_eval_log(tmp_path, rows))


@pytest.mark.parametrize("text", ["[1]", "{", "[" * 100_000])
def test_a_broken_results_file_is_named(tmp_path: Path, text: str) -> None:
    """It decides directions, so it is not passed over."""
    path = lm_eval_log(tmp_path, [row(0, 1.0)])
    (tmp_path / f"results_{TIME}.json").write_text(text)
    with pytest.raises(DataError, match="results_"):
        READER.read(path)

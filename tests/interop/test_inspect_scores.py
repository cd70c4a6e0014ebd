"""Scores out of Inspect's logs: every sample, its words as numbers, and what is wrong with a log."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import DataError
from benchwright.interop.inspect_ai_log.scores import READER, as_number
from kit.made_inspect_log import header, write_document, write_members, write_zip
from kit.needs import need_module
from kit.tool_logs import INSPECT, scored

pytestmark = pytest.mark.filterwarnings("ignore:Duplicate name")


@pytest.mark.parametrize(
    ("value", "number"),
    [
        *(("C", 1.0), ("I", 0.0), ("P", 0.5), ("N", 0.0), ("yes", 1.0), ("No", 0.0), ("0.25", 0.25)),
        *((True, 1.0), (0, 0.0), (0.5, 0.5), (None, None), ("good", None), ("nan", None), ([], None)),
        (10**400, None),
    ],
)
def test_words_become_numbers_as_inspect_has_them(value: Any, number: float | None) -> None:
    """What is no number is no score, and never a zero."""
    assert as_number(value) == number


def test_a_real_log_gives_every_sample() -> None:
    """Two epochs of twenty tasks, two scorers; the one that failed is there without scores."""
    need_module("zipfile_zstd", reason="newer logs are packed with Zstandard")
    log = READER.read(INSPECT["weak"], texts=True)
    failed = [each for each in log.samples if each.failure]

    assert (log.tool, log.task, log.model, log.epochs, len(log.samples)) == (
        *("Inspect", "sums", "mockllm/weak"),
        *(2, 40),
    )
    assert [each.name for each in log.measures] == ["includes", "closeness"]
    assert [(each.task_id, each.epoch, dict(each.scores)) for each in failed] == [("sum-07", 2, {})]
    assert log.samples[0].text.startswith("The sum is")
    assert log.samples[0].meta == {"template": "sum-0"}


def test_a_scorer_of_several_numbers_has_a_metric_for_each(tmp_path: Path) -> None:
    """Dicts and lists become SCORER/NAME."""
    rows = [scored("a", {"logic": 1, "form": "C"}), scored("b", [0.5, 1])]
    log = READER.read(write_document(tmp_path / "log.json", rows))

    assert [dict(each.scores) for each in log.samples] == [
        {"match/logic": 1.0, "match/form": 1.0},
        {"match/0": 0.5, "match/1": 1.0},
    ]


def test_the_same_question_under_another_id_has_the_same_digest(tmp_path: Path) -> None:
    """Ids of messages are not part of it, what they say is."""
    asked = [[{"id": name, "role": "user", "content": "q"}] for name in "xy"]
    rows = [scored(number, "C", input=each) for number, each in enumerate([*asked, "other"])]
    one, two, other = READER.read(write_document(tmp_path / "log.json", rows)).samples

    assert one.content == two.content != other.content


def test_a_score_of_a_failed_sample_counts_only_where_inspect_counts_it(tmp_path: Path) -> None:
    """`score_on_error` is Inspect's own switch."""
    row = scored("a", "C", error={"message": "down"})
    plain = READER.read(write_document(tmp_path / "a.json", [row])).samples[0]
    head = header(config={"score_on_error": True})
    kept = READER.read(write_document(tmp_path / "b.json", [row], head)).samples[0]

    assert (plain.failure, dict(plain.scores), kept.failure, dict(kept.scores)) == (
        "down",
        {},
        "",
        {"match": 1},
    )


def test_a_repeated_sample_is_refused_by_name(tmp_path: Path) -> None:
    """In a document; in a zip the last member of a name counts, as for Inspect, and that is said."""
    with pytest.raises(DataError, match="task a: duplicate epoch 1"):
        READER.read(write_document(tmp_path / "log.json", [scored("a", "C"), scored("a", "I")]))
    path = write_zip(tmp_path / "log.eval", [scored("a", "C")])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("samples/a_epoch_1.json", json.dumps(scored("a", "I")))
    log = READER.read(path)

    assert [dict(each.scores) for each in log.samples] == [{"match": 0.0}]
    assert log.notes == ["1 samples are duplicated; the last one counts: samples/a_epoch_1.json"]


def test_members_that_share_their_bytes_are_refused(tmp_path: Path) -> None:
    """A zip whose members overlap unpacks to far more than its size: no log does so."""
    path = write_members(
        tmp_path / "bomb.eval",
        {"header.json": json.dumps(header()), "samples/a_epoch_1.json": json.dumps(scored("a", "C"))},
    )
    data = path.read_bytes()
    at = data.rfind(b"PK\x01\x02")  # the last entry of the directory: claim more packed bytes than there are
    path.write_bytes(data[: at + 20] + (1 << 30).to_bytes(4, "little") + data[at + 24 :])
    with pytest.raises(DataError, match="more than the file has"):
        READER.read(path)

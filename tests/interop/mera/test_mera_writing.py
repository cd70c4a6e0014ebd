"""Documents, logs and zips of a submission: byte for byte what MERA's packer and lm-eval write."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.mera.run_results import RunToRepeat, from_file
from benchwright.interop.mera.submission import Entry, OutputsRow, archive, document, document_bytes, log_of
from benchwright.interop.mera.task_sets import LOGS
from kit.mera_runs import answer_file, data_set, text_of
from kit.small_data import mera_row, read_rows

ROWS = [OutputsRow(1, [[["2", "слово"], ["2", None]]]), OutputsRow(2, [["timed out"]])]
# As MERA's packer writes it: json.dump(…, ensure_ascii=False, indent=4).
GOLDEN = """{
    "data": {
        "test": [
            {
                "outputs": [
                    [
                        [
                            "2",
                            "слово"
                        ],
                        [
                            "2",
                            null
                        ]
                    ]
                ],
                "meta": {
                    "id": 1
                }
            },
            {
                "outputs": [
                    [
                        "timed out"
                    ]
                ],
                "meta": {
                    "id": 2
                }
            }
        ]
    }
}"""

texts = st.text(st.characters(codec="utf-8"))
rows = st.lists(
    st.builds(OutputsRow, st.integers(), st.lists(st.lists(st.lists(texts | st.none())), max_size=1) | texts)
)


def test_the_bytes_are_meras() -> None:
    """Indented by four, unescaped Russian, no byte-order mark, nothing after the last brace."""
    assert document_bytes(ROWS) == GOLDEN.encode()


@given(rows)
def test_a_document_is_what_a_reader_finds(made: list[OutputsRow]) -> None:
    """Any texts and ids come back from the file as they went in."""
    assert json.loads(document_bytes(made).decode()) == document(made)


def test_a_text_task_set_takes_strings() -> None:
    """Where outputs are one string, the writer is the same."""
    assert document([OutputsRow(7, "success")]) == {
        "data": {"test": [{"outputs": "success", "meta": {"id": 7}}]}
    }


def test_an_archive_holds_the_files_at_its_root_in_order() -> None:
    """Names and bytes come back, in the order given."""
    entries = [Entry("ruHumanEval.json", b"{}"), Entry("ruCodeEval.json", b"[]" * 999)]
    with zipfile.ZipFile(io.BytesIO(archive(entries))) as packed:
        found = [Entry(info.filename, packed.read(info)) for info in packed.infolist()]

    assert found == entries


def test_equal_files_make_equal_archives() -> None:
    """No clock and no user is in it: the time of each entry is the first that a zip can hold."""
    entries = [Entry("ruHumanEval.json", b"{}"), Entry(LOGS, archive([Entry("a.jsonl", b"1")]))]
    with zipfile.ZipFile(io.BytesIO(archive(entries))) as packed:
        facts = {(info.date_time, info.create_system, info.external_attr >> 16) for info in packed.infolist()}

    assert (archive(entries), facts) == (archive(entries), {((1980, 1, 1, 0, 0, 0), 3, 0o644)})


def test_a_zip_in_the_zip_is_stored() -> None:
    """The logs are packed already; packing them again would only cost time."""
    with zipfile.ZipFile(
        io.BytesIO(archive([Entry(LOGS, b"x" * 999), Entry("a.json", b"x" * 999)]))
    ) as packed:
        methods = [info.compress_type for info in packed.infolist()]

    assert methods == [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]


KEYS = [
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
]
OUTPUTS = [[[["1", "2"], ["1", None]]], [["timed out"]]]


def _source(folder: Path, *, private: bool = False) -> RunToRepeat:
    answers = answer_file(folder, [["right"] * 10, ["wrong"] * 10])
    data = data_set(folder, private=private)
    return from_file(answers, data=str(data), task_name=None, missing="refuse")


def _rows(source: RunToRepeat, metrics: list[dict[str, float]] | None = None) -> list[dict[str, Any]]:
    log = log_of(source, OUTPUTS, metrics or [{}, {}])
    return [json.loads(line) for line in log.data.decode().splitlines()]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_keys_are_lm_evals(tmp_path: Path) -> None:
    """Each row has them all, in its order."""
    assert [list(row) for row in _rows(_source(tmp_path))] == [KEYS, KEYS]


def test_the_name_says_task_and_time(tmp_path: Path) -> None:
    """MERA's packer finds the log by the task's name in small letters and sorts by the time after it."""
    source = _source(tmp_path)._replace(time=datetime(2026, 2, 3, 4, 5, 6, 789000))
    name = log_of(source, OUTPUTS, [{}, {}]).name
    stamp = name.removesuffix(".jsonl").split("_")[-1]

    assert name == "samples_ruhumaneval_2026-02-03T04-05-06.789000.jsonl"
    assert datetime.strptime(stamp, "%Y-%m-%dT%H-%M-%S.%f") == source.time


def test_a_row(tmp_path: Path) -> None:
    """The row of the data set as it was, the prompt, ten answers under one request, and what they gave."""
    first, second = _rows(_source(tmp_path))
    prompt = first["arguments"]["gen_args_0"]["arg_0"]

    assert (first["doc"], first["doc_id"], second["doc_id"]) == (mera_row(1), 0, 1)
    assert prompt == f"Допиши функцию:\n{mera_row(1)['inputs']['function']}"
    assert (first["resps"], first["filtered_resps"]) == ([[text_of(1, "right")] * 10], OUTPUTS[0])
    assert (first["target"], first["filter"]) == (mera_row(1)["meta"]["canonical_solution"], "scoring")


def test_hashes(tmp_path: Path) -> None:
    """They are SHA-256 of the row as JSON with two spaces, of the prompt, and of the target."""
    (row, _) = _rows(_source(tmp_path))
    doc = json.dumps(row["doc"], indent=2, ensure_ascii=False)
    prompt = row["arguments"]["gen_args_0"]["arg_0"]

    assert (row["doc_hash"], row["prompt_hash"], row["target_hash"]) == (
        _sha256(doc),
        _sha256(prompt),
        _sha256(row["target"]),
    )


def test_metrics_are_there_when_they_are_known(tmp_path: Path) -> None:
    """Their names in `metrics`, their values beside it; a private task has neither."""
    metrics = [{"pass@1": 0.5}, {"pass@1": 0.0}]
    known, _ = _rows(_source(tmp_path), metrics)
    hidden, _ = _rows(_source(tmp_path, private=True))

    assert (known["metrics"], known["pass@1"]) == (["pass@1"], 0.5)
    assert (hidden["metrics"], "pass@1" in hidden, hidden["target"]) == ([], False, "")


def test_one_line_a_task_whatever_is_in_it(tmp_path: Path) -> None:
    """Line ends inside answers are escaped, as JSON Lines requires."""
    source = _source(tmp_path)
    data = log_of(source, [[[["a\nb\r\x85\u2028", "2"]]], [[]]], [{}, {}]).data
    (tmp_path / "log.jsonl").write_bytes(data)
    with (tmp_path / "log.jsonl").open(encoding="utf-8") as file:
        lines = file.readlines()

    assert (data.count(b"\n"), len(lines), data.endswith(b"}\n")) == (2, 2, True)
    assert json.loads(lines[0])["filtered_resps"] == [[["a\nb\r\x85\u2028", "2"]]]
    assert len(read_rows(tmp_path / "data.jsonl")) == 2

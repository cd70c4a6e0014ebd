"""The bytes of a submission: one form, so that equal results make equal files."""

from __future__ import annotations

import io
import json
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from benchwright.interop.mera.document import LOGS, Entry, Row, archive, document, document_bytes

ROWS = [Row(1, [[["2", "слово"], ["2", None]]]), Row(2, [["timed out"]])]
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
    st.builds(Row, st.integers(), st.lists(st.lists(st.lists(texts | st.none())), max_size=1) | texts)
)


def test_the_bytes_are_meras() -> None:
    """Indented by four, Russian as it is, no byte-order mark, and nothing after the last brace."""
    assert document_bytes(ROWS) == GOLDEN.encode()


@given(rows)
def test_a_document_is_what_a_reader_finds(made: list[Row]) -> None:
    """Any texts and ids come back from the file as they went in."""
    assert json.loads(document_bytes(made).decode()) == document(made)


def test_a_text_task_set_takes_strings() -> None:
    """Where outputs are one string, the writer is the same."""
    assert document([Row(7, "success")]) == {"data": {"test": [{"outputs": "success", "meta": {"id": 7}}]}}


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

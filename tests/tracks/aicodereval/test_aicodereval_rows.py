"""Rows of entries: complete reading, unchanged writing, and refusals with field, reason and hint."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.cases.reading import LITERAL
from benchwright.errors import DataError
from benchwright.tracks.aicodereval.entry import (
    BenchmarkEntry,
    Weights,
    build,
    entry_of,
    entry_row,
    head_of,
    libraries_of,
    program_of,
    spec_of,
    to_row,
)
from benchwright.tracks.aicodereval.track import TRACK
from benchwright.tracks.rows import Fields
from kit.made_entries import SOUND, TEXT, changed, with_case, write_entries


def read(row: dict[str, Any]) -> Any:
    return build(Fields(row, "made.jsonl", 7))


def entry(**fields: Any) -> BenchmarkEntry:
    return msgspec.convert(changed(TEXT, **fields), BenchmarkEntry)


@pytest.mark.parametrize("row", SOUND, ids=lambda row: row["task_id"])
def test_a_row_comes_back_as_it_was(row: dict[str, Any]) -> None:
    """This includes unknown fields."""
    given = changed(row, source={"url": "made"})

    assert to_row(read(given)) == given


@pytest.mark.parametrize("row", SOUND, ids=lambda row: row["task_id"])
def test_an_entry_that_is_written_is_read_again(row: dict[str, Any]) -> None:
    """Fields with default values are left out of the row, with the same meaning."""
    first = entry_of(read(row))

    assert entry_of(read(json.loads(json.dumps(entry_row(first))))) == first


def test_what_decides_a_verdict_is_in_the_revision() -> None:
    """Cases, prompt and profile are included; the state of its admission and its solution are not."""
    first = read(TEXT).revision

    assert first == read(changed(TEXT, status="certified", time_s=0.5, created="2026-02-02")).revision
    others = [
        with_case(TEXT, 0, expected={"value": {"POSITIVE": 0.75}, "abs_tol": 0.01}),
        changed(TEXT, description="Another sentence."),
        changed(TEXT, libraries=["numpy==2.4.6"]),
        changed(TEXT, environment="numpy"),
    ]
    assert len({first, *(read(each).revision for each in others)}) == 5


@pytest.mark.parametrize(
    ("fields", "field", "message", "hint"),
    [
        ({"signature": None}, "signature", "must be a string", "write it as"),
        ({"task_id": 7}, "task_id", "must be a string", "task_0001"),
        ({"domain": "Cooking"}, "domain", "invalid enum value 'Cooking'", "one of: NLP, CV, Tabular"),
        ({"cases": [{"name": "x"}]}, "cases[0]", "missing required field `level`", "aicodereval.md"),
        ({"libraries": "torch"}, "libraries", "expected `array`", "aicodereval.md"),
        ({"cases": []}, "cases", "has no test case", "without a case"),
        ({"cases": [], "suite": "def test(): pass"}, "suite", "pytest suite", "`cases`"),
        ({"description": " "}, "description", "is empty", ""),
        ({"description": "Two.\nLines."}, "description", "several lines", "one sentence"),
        ({"docstring": ""}, "docstring", "is empty", ""),
        ({"signature": "x = 1"}, "signature", "not the head of a function", "def name"),
        ({"signature": "async def f(x):"}, "signature", "head of one function", "def name"),
        ({"signature": "def f(x):\n    pass\ndef g(x):"}, "signature", "head of one function", "def name"),
        ({"imports": ["import re", "imprt os"]}, "imports", "at line 2", "one statement"),
        ({"implementation": "return 1"}, "implementation", "not a body", "four spaces"),
        ({"implementation": "    return 1\nx = 2"}, "implementation", "after the end", "four spaces"),
    ],
)
def test_a_bad_field_is_named(fields: dict[str, Any], field: str, message: str, hint: str) -> None:
    """The error has file, line and task, the fault, and a correction."""
    with pytest.raises(DataError) as caught:
        read(changed(TEXT, **fields))

    assert (caught.value.path, caught.value.line, caught.value.field) == ("made.jsonl", 7, field)
    assert message in caught.value.message and hint in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("row", "track"),
    [
        ({"instruction": "x", "inputs": {}, "outputs": [], "meta": {}}, "ruhumaneval"),
        ({"task_id": "a", "prompt": "x", "test": "y"}, "humaneval"),
    ],
)
def test_rows_of_other_tracks_are_told(row: dict[str, Any], track: str) -> None:
    """The hint names the track that reads such rows."""
    with pytest.raises(DataError) as caught:
        read(row)

    assert track in (caught.value.hint or "")


def test_an_unmapped_domain_is_no_silent_default() -> None:
    """It is stored in the row, and read as unmapped."""
    assert entry_of(read(changed(TEXT, domain="unmapped"))).domain.value == "unmapped"


def test_a_docstring_cannot_end_itself() -> None:
    """Quotes and backslashes, also at its end, are kept as text."""
    text = 'Say """this""" \\n and\nend with "'
    made: dict[str, Any] = {}
    exec(compile(program_of(entry(docstring=text)), "made", "exec"), made)

    assert made["classify_text"].__doc__.strip().splitlines()[0] == 'Say """this""" \\n and'


def test_the_head_is_what_the_program_begins_with() -> None:
    """Imports, signature and docstring; a body follows."""
    given = entry()

    assert program_of(given) == head_of(given) + given.implementation
    assert head_of(given).startswith("import re\nfrom typing import Dict\n\n\ndef classify_text(")
    assert libraries_of(entry(libraries=["torch==2.13.0", "numpy"])) == ["torch", "numpy"]


def test_no_prompt_holds_anything_of_a_test() -> None:
    """Neither the row's own prompt nor any of the ten wordings in both languages and forms contains a part of
    a test."""
    secret = with_case(TEXT, 0, input={"args": ["SECRET INPUT"]}, description="SECRET", name="SECRET NAME")
    task = read(secret)
    texts = [TRACK.prompt(task)] + [
        each.text
        for language in ("en", "ru")
        for form in ("chat", "base")
        for each in TRACK.questions(task, language=language, form=form)
    ]

    assert len(texts) == 41 and not any("SECRET" in text for text in texts)
    assert all(task.inputs["description"] in text and "def classify_text" in text for text in texts)


def test_a_prompt_names_libraries_with_their_versions() -> None:
    """Without libraries the prompt names only the standard library, in its language."""
    task = read(changed(TEXT, libraries=["torch==2.13.0", "transformers==5.23.0"]))
    russian = TRACK.questions(read(TEXT), language="ru", form="chat")

    assert "# Installed: torch==2.13.0, transformers==5.23.0\n" in TRACK.prompt(task)
    assert all("стандартная библиотека" in each.text for each in russian)


def test_the_spec_of_an_entry_with_a_fault_is_refused() -> None:
    """It is refused even without a reader of rows."""
    with pytest.raises(ValueError, match="cases"):
        spec_of(entry(cases=[]))


def test_stand_ins_are_found_by_links() -> None:
    """Links lead to twin A, with whose outputs the cases were written; other entries have no links."""
    links = spec_of(entry(weights="stand-in", environment="torch")).links

    assert links == {"hub": "/twins/A/hub", "torch/hub": "/twins/A/torch/hub"}
    assert spec_of(entry()).links == {}


def test_a_file_of_entries_is_a_data_set(tmp_path: Path) -> None:
    """Each entry is a task, in order; a repeated id is refused, as in any track."""
    tasks = list(TRACK.load(write_entries(tmp_path / "made.jsonl")))

    assert [task.task_id for task in tasks] == ["task_0001", "task_0002", "task_0003"]
    with pytest.raises(DataError, match="line 1 has it too"):
        list(TRACK.load(write_entries(tmp_path / "twice.jsonl", TEXT, TEXT)))


def test_an_entry_with_values_of_both_stand_ins_is_judged_on_both() -> None:
    """These values are part of its revision, as all expected values are; without stand-ins they have no
    effect."""
    plain = entry(weights="stand-in", environment="torch")
    [first, *others] = plain.cases
    expected = msgspec.structs.replace(first.expected, twin_value={LITERAL: "None"})
    both = msgspec.structs.replace(plain, cases=[msgspec.structs.replace(first, expected=expected), *others])

    assert spec_of(plain).twin_links == {}
    assert spec_of(both).twin_links == {"hub": "/twins/B/hub", "torch/hub": "/twins/B/torch/hub"}
    assert spec_of(msgspec.structs.replace(both, weights=Weights.none)).twin_links == {}
    assert read(entry_row(both)).revision != read(entry_row(plain)).revision

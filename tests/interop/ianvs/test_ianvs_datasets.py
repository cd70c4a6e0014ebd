"""Reading Ianvs's data sets: every field, every fault with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import DataError
from benchwright.interop.ianvs.child.datasets import (
    DataItem,
    DataPlace,
    JsonlDataParse,
    JSONMetaDataParse,
    TxtDataParse,
    metadata,
    read_items,
    source_maker,
)

DESCRIBED = {
    "dataset": "d",
    "description": "about",
    "level_1_dim": "one",
    "level_2_dim": "two",
    "level_3_dim": "three",
}


def place(path: Path, text: str | bytes, kind: str = "jsonl", **fields: str) -> DataPlace:
    """A data set with this content."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return DataPlace(path, kind, fields)


def test_records_with_question_and_answer(tmp_path: Path) -> None:
    """Blank lines are skipped and counted as lines; other names of Ianvs's fields are taken too."""
    text = '{"question": "q", "answer": 1}\n\n{"query": "p", "response": "B", "more": 0}\n'

    assert list(read_items(place(tmp_path / "d.jsonl", text))) == [DataItem(1, "q", 1), DataItem(3, "p", "B")]


def test_records_with_names_of_their_own(tmp_path: Path) -> None:
    """As `--fields` says."""
    at = place(tmp_path / "d.jsonl", '{"ask": "q", "gold": "A"}\n', question="ask", answer="gold")

    assert [(item.x, item.y) for item in read_items(at)] == [("q", "A")]


def test_an_array_of_records(tmp_path: Path) -> None:
    """A .json file may be one."""
    at = place(tmp_path / "d.json", '[{"question": "q", "answer": "A"}, {"question": "p", "answer": "B"}]')

    assert [(item.x, item.y) for item in read_items(at)] == [("q", "A"), ("p", "B")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"question": "q"}\n', "d.jsonl:1, field `answer`: missing field"),
        ('{"question": "q", "answer": 1}\n{"question": \n', "d.jsonl:2: invalid JSON: "),
        ('{"question": "q", "answer": 1}\n[1]\n', "d.jsonl:2: a record must be a JSON object"),
        ("[" * 100_000, "d.jsonl:1: invalid JSON: maximum recursion depth"),
        (b'{"question": "\xff", "answer": 1}\n', "d.jsonl:1: invalid JSON: 'utf-8' codec"),
        ("\ufeff".encode("utf-16"), "d.jsonl:1: the file is UTF-16"),
    ],
)
def test_a_broken_record(tmp_path: Path, text: str | bytes, message: str) -> None:
    """Where it is and what is wrong."""
    with pytest.raises(DataError) as caught:
        list(read_items(place(tmp_path / "d.jsonl", text)))

    assert message in caught.value.message and caught.value.hint


def test_a_data_set_with_metadata(tmp_path: Path) -> None:
    """The prompt precedes the query; absent optional fields are empty."""
    (tmp_path / "metadata.json").write_text(json.dumps(DESCRIBED))
    rows = [
        {"prompt": "P:", "query": "q", "response": "r", "judge_prompt": "j", "explanation": "e"},
        {"query": "q", "response": "r", "level_3_dim": "c", "level_4_dim": "d"},
    ]
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    at = DataPlace(tmp_path / "metadata.json", "metadata", {})

    data = source_maker(at, "inference")(read_items(at))

    assert (data.x.tolist(), data.y.tolist(), len(data)) == (["P:q", "q"], ["r", "r"], 2)
    assert (data.judge_prompts.tolist(), data.explanation.tolist()) == (["j", ""], ["e", ""])
    assert (data.level_3.tolist(), data.level_4.tolist(), data.level_3_dim) == (["", "c"], ["", "d"], "three")
    assert (data.dataset_name, data.description, data.level_1_dim, data.level_2_dim) == (
        "d",
        "about",
        "one",
        "two",
    )
    assert data.need_other_info and not hasattr(data, "level_4_dim")


@pytest.mark.parametrize("text", ["{}", "[]", "", "{'dataset': 1}"])
def test_broken_metadata(tmp_path: Path, text: str) -> None:
    """It must name the data set."""
    (tmp_path / "metadata.json").write_text(text)
    with pytest.raises(DataError, match=r"metadata\.json"):
        metadata(tmp_path / "metadata.json")


def test_a_list_of_paths(tmp_path: Path) -> None:
    """Paths are relative to the list; a label is one, unless Ianvs's own reading is asked for."""
    at = place(tmp_path / "index.txt", "img.png A\n\n/abs/b.png\n", "txt")
    inside = str(tmp_path / "img.png")

    assert [(item.x, item.y) for item in read_items(at)] == [(inside, "A"), ("/abs/b.png", 0)]
    assert [(item.x, item.y) for item in read_items(at._replace(strict=True))] == [
        (inside, str(tmp_path / "A")),
        ("/abs/b.png", 0),
    ]


def test_labels_that_are_files(tmp_path: Path) -> None:
    """If one label is the name of a file, all labels are paths, even those of missing files."""
    lists = {
        "all": ("a.png m/a.txt\nb.png m/b.txt\n", ["m/a.txt", "m/b.txt"]),
        "words": ("a.png A\nb.png m\n", None),  # a folder does not count
        "absolute": (f"{tmp_path}/a.png m/a.txt\n", None),  # Ianvs does not join these either
    }
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a.txt").touch()

    for name, (text, joined) in lists.items():
        found = [item.y for item in read_items(place(tmp_path / f"{name}.txt", text, "txt"))]
        plain = [line.split()[1] for line in text.splitlines()]
        assert found == ([str(tmp_path / each) for each in joined] if joined else plain), name


@pytest.mark.parametrize("label", ["x" * 5000, "a\0b", "/" * 3000, "\udcff"])
def test_labels_that_cannot_be_names_of_files(tmp_path: Path, label: str) -> None:
    """Such a label stays a word."""
    text = f"a.png {label}\n".encode("utf-8", "surrogateescape")

    assert [item.y for item in read_items(place(tmp_path / "index.txt", text, "txt"))] == [label]


def test_what_examples_may_open_themselves(tmp_path: Path) -> None:
    """Sedna's readers by their names."""
    text = place(
        tmp_path / "data.jsonl", '{"question": "q", "answer": "a"}\n{"question": "p", "answer": 1}\n'
    ).path
    (tmp_path / "metadata.json").write_text(json.dumps(DESCRIBED))
    plain, described, listed = JsonlDataParse("train"), JSONMetaDataParse("test"), TxtDataParse("eval")
    plain.parse(str(text))
    described.parse(str(tmp_path / "metadata.json"))
    listed.parse(str(place(tmp_path / "i.txt", "a 1\n", "txt").path))

    assert (plain.y.tolist(), plain.is_test_data, plain.num_examples()) == (["a", "1"], False, 2)
    assert (described.dataset_name, described.is_test_data, listed.y.tolist()) == ("d", True, ["1"])


@given(rows=st.lists(st.tuples(st.text(), st.one_of(st.text(), st.integers(), st.none())), max_size=5))
def test_every_text_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, Any]]) -> None:
    """For all texts that JSON can represent."""
    text = "".join(json.dumps({"question": x, "answer": y}) + "\n" for x, y in rows)
    at = place(tmp_path_factory.mktemp("d") / "d.jsonl", text)

    assert [(item.x, item.y) for item in read_items(at)] == rows

"""`benchwright convert --to`: collected records to rows of the smart-coding tracks, and rows to records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import benchwright, called, inside
from kit.small_data import humaneval, read_rows
from kit.smartcoding_rows import comment_record, comment_row, issue_record, issue_row, write_records

GOLDEN = Path(__file__).parents[1] / "tracks" / "golden" / "collected"
COMMENTS, ISSUES = "smartcoding-comments", "smartcoding-issues"
SHAPES = [
    ("annotations.json", COMMENTS, "annotations", 2),
    ("comments.jsonl", COMMENTS, "comment", 0),
    ("issues.json", ISSUES, "issue", 6),
    ("ianvs_comments/data.jsonl", COMMENTS, "ianvs", 0),
    ("ianvs_issues/data.jsonl", ISSUES, "ianvs", 0),
]


def convert(data: object, to: str, out: object, *more: object, code: int = 0) -> dict[str, Any]:
    """What a conversion says. One that refuses something is a process of its own, for its exit code."""
    command = ("convert", "--data", data, "--to", to, "--out", out, "--json", *more)
    if code:
        said = called(*command)
        assert (said.code, said.err) == (code, "")
        document: dict[str, Any] = said.document
        return document
    result = inside(*command)
    assert (result.exception, result.stderr) == (None, "")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


@pytest.mark.parametrize(("name", "to", "shape", "repairs"), SHAPES)
def test_golden_files(tmp_path: Path, name: str, to: str, shape: str, repairs: int) -> None:
    """Records of each shape, broken commas too, give the rows that they gave before, and these the records."""
    rows, records, again = tmp_path / "rows.jsonl", tmp_path / "records.jsonl", tmp_path / "again.jsonl"
    said = convert(GOLDEN / name, to, rows, "--keep-authors")
    expected = GOLDEN / f"{name.partition('.')[0].replace('/data', '')}_rows.jsonl"

    assert (len(said["repairs"]), said["refused"]) == (repairs, [])
    assert rows.read_text(encoding="utf-8") == expected.read_text(encoding="utf-8")
    convert(rows, shape, records)
    convert(records, to, again, "--keep-authors")
    assert [row["inputs"] for row in read_rows(again)] == [row["inputs"] for row in read_rows(rows)]
    if not repairs:
        assert read_rows(records) == read_rows(GOLDEN / name)


def test_answers_that_say_nothing_are_marked(tmp_path: Path) -> None:
    """Votes, thanks and refusals in three languages stay in the row, and no answer that says something is marked."""
    empty = [
        "+1, same here",
        "No idea, sorry.",
        "I'm not sure.",
        "Не знаю, извините.",
        "谢谢！",
        "抱歉，我不清楚。",
    ]
    answers = [*empty, "Set `retries = 0`.", "Обновите пакет.", "升级到最新版本。"]
    record = {"question": "Why?", **{f"answer_{at}": {"body": text} for at, text in enumerate(answers, 1)}}
    convert(write_records(tmp_path, record), ISSUES, tmp_path / "rows.jsonl")
    (row,) = read_rows(tmp_path / "rows.jsonl")

    assert [each["body"] for each in row["outputs"]["references"]] == answers
    marked = [each["body"] for each in row["outputs"]["references"] if each.get("non_answer")]
    assert marked == empty


def test_every_repair_and_refusal_is_named(tmp_path: Path) -> None:
    """With file, line and column; the other records are written, and the exit code says that some were not."""
    data, out = GOLDEN / "broken.json", tmp_path / "rows.jsonl"
    said = benchwright("convert", "--data", data, "--to", ISSUES, "--out", out)
    lines = [line for line in said.err.splitlines() if not line.startswith("hint: ")]

    assert (said.code, said.out, len(read_rows(out))) == (1, "", 2)
    assert [line.replace(str(data), "F") for line in lines] == (GOLDEN / "broken_said.txt").read_text(
        encoding="utf-8"
    ).replace("OUT", str(out)).splitlines()


def test_strictly_nothing_is_repaired(tmp_path: Path) -> None:
    """Each place is told instead."""
    said = convert(GOLDEN / "issues.json", ISSUES, tmp_path / "rows.jsonl", "--strict", code=1)

    assert (said["written"], said["repairs"], len(said["refused"])) == (0, [], 2)
    assert "missing comma at column" in said["refused"][0]["message"]


@pytest.mark.parametrize(("row", "to"), [(comment_row(), COMMENTS), (issue_row(), ISSUES)])
def test_rows_through_ianvs(tmp_path: Path, row: dict[str, Any], to: str) -> None:
    """What Ianvs reads carries the row, so that it comes back byte for byte, and metadata.json lies beside it."""
    rows, back = write_records(tmp_path, row), tmp_path / "back.jsonl"
    convert(rows, "ianvs", tmp_path / "ianvs" / "data.jsonl")
    convert(tmp_path / "ianvs" / "metadata.json", to, back)
    (record,) = read_rows(tmp_path / "ianvs" / "data.jsonl")
    metadata = json.loads((tmp_path / "ianvs" / "metadata.json").read_text())

    assert read_rows(back) == [row]
    assert set(record) == {"query", "response", "explanation", "level_3_dim", "level_4_dim"}
    assert (metadata["dataset"], metadata["level_1_dim"]) == (to, "smartcoding")
    assert set(metadata) == {"dataset", "description", "level_1_dim", "level_2_dim"}


def test_metadata_of_others_comes_back(tmp_path: Path) -> None:
    """What metadata.json says goes into each row and out again."""
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out" / "data.jsonl"
    convert(GOLDEN / "ianvs_issues" / "metadata.json", ISSUES, rows)
    convert(rows, "ianvs", out)

    given = json.loads((GOLDEN / "ianvs_issues" / "metadata.json").read_text())
    assert json.loads(out.with_name("metadata.json").read_text()) == given
    assert {json.dumps(row["meta"]["dataset"]) for row in read_rows(rows)} == {json.dumps(given)}


def test_a_project_s_names_and_its_people(tmp_path: Path) -> None:
    """Mapped there and back; names of people are gone unless they are to stay."""
    record = {
        "title": "Why?",
        "user_login": "grace",
        "solutions": [{"text": "So, @grace.", "user_login": "ada"}],
    }
    data, rows, back = write_records(tmp_path, record), tmp_path / "rows.jsonl", tmp_path / "back.jsonl"
    names = ["--fields", "title=question", "--fields", "solutions=answers", "--fields", "text=body"]
    convert(data, ISSUES, rows, *names)
    assert "grace" not in rows.read_text() and "ada" not in rows.read_text()
    convert(data, ISSUES, rows, *names, "--keep-authors")
    convert(rows, "issue", back, *names)

    assert read_rows(back) == [record]


def test_notes_and_doubles(tmp_path: Path) -> None:
    """A record without references is noted, one id twice is refused."""
    data = write_records(
        tmp_path, comment_record(annotations=[], id=1), comment_record(id=2), comment_record(id=2)
    )
    said = convert(data, COMMENTS, tmp_path / "rows.jsonl", code=1)

    assert (said["written"], len(said["notes"]), [each["line"] for each in said["refused"]]) == (2, 1, [3])
    assert "has no reference comment" in said["notes"][0]
    assert "line 2 has it too" in said["refused"][0]["message"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--to", "annotations"], "make rows of the records first: --to smartcoding-comments"),
        (["--to", COMMENTS], "the record has no `code_snippet`"),
    ],
)
def test_records_of_the_other_kind(tmp_path: Path, more: list[str], message: str) -> None:
    """Are refused one by one with what to do."""
    said = called(
        "convert", "--data", write_records(tmp_path, issue_record()), "--out", tmp_path / "o", *more
    )

    assert (said.code, message in said.err) == (1, True)


def test_a_row_of_the_other_track(tmp_path: Path) -> None:
    """Has shapes of its own, which are named."""
    said = called(
        "convert", "--data", write_records(tmp_path, issue_row()), "--to", "comment", "--out", tmp_path / "o"
    )

    assert (said.code, "hint: --to issue or --to ianvs" in said.err) == (1, True)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--lang", "Java"], "--lang does not apply to HumanEval rows"),
        (["--keep-authors"], "--keep-authors does not apply to HumanEval rows"),
        (["--to", COMMENTS, "--lang", "Cobol"], "--lang Cobol: unknown language"),
        (["--to", COMMENTS, "--fields", "a=b"], "unknown field 'b'"),
        (["--to", "mera"], "'mera' is not one of"),
    ],
)
def test_options_that_cannot_be(tmp_path: Path, more: list[str], message: str) -> None:
    """Exit code 2, and no file is written."""
    said = called("convert", "--data", humaneval(tmp_path), "--out", tmp_path / "rows.jsonl", *more)

    assert (said.code, message in said.err, (tmp_path / "rows.jsonl").exists()) == (2, True, False)


def test_the_data_set_is_not_written_over(tmp_path: Path) -> None:
    """It would be read no more."""
    data = write_records(tmp_path, issue_record())
    said = called("convert", "--data", data, "--to", ISSUES, "--out", data)

    assert (said.code, "is the input file" in said.err) == (2, True)


def test_a_pipe(tmp_path: Path) -> None:
    """`--out -` writes rows to stdout and all else to stderr."""
    said = benchwright(
        "convert", "--data", write_records(tmp_path, issue_record()), "--to", ISSUES, "--out", "-"
    )

    assert (said.code, json.loads(said.out)["meta"]["shape"]) == (0, "issue")
    assert said.err == "1 of 1 record written to standard output\n"


@pytest.mark.parametrize("to", [COMMENTS, "ianvs"])
def test_a_file_without_records(tmp_path: Path, to: str) -> None:
    """Blank lines and an empty list are errors, and no file is written."""
    data, out = tmp_path / "records.json", tmp_path / "rows.jsonl"
    for text in ("", "\n\n", "[]"):
        data.write_text(text)
        said = called("convert", "--data", data, "--to", to, "--out", out)

        assert (said.code, f"{data}: the data set has no rows" in said.err, out.exists()) == (1, True, False)
        assert "hint: write one JSON object per line" in said.err

"""Review sheets, filled-in values and what authors are told: the parts of a build that people work with."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from benchwright.building.aicodereval.build_statistics import uncertified_lines
from benchwright.building.aicodereval.human_review import SHEET, read_reviews
from benchwright.building.aicodereval.release_options import BenchmarkOptions
from benchwright.building.aicodereval.release_pipeline import ReleaseBuild, build
from benchwright.cli.main import cli
from benchwright.contracts import ExpectedResult
from benchwright.errors import DataError
from kit.made_drafts import EDGE, NORMAL, RIGHT, case, draft, sound, write_drafts
from kit.needs import need_module, need_sandbox

DRAFTS = sound()[:2]
WEAK = draft(
    "absolute_total",
    "def absolute_total(values: list[int]) -> int:",
    """
    if not values:
        raise ValueError("none")
    total = 0
    for value in values:
        if value < -10:
            total += 10
        elif value < 0:
            total -= value
        elif value > 1000:
            total += 1000
        else:
            total += value
    return total
    """,
    [
        case("two", NORMAL, [[1, 2]], value=3),
        case("none", EDGE, [[]], raises="ValueError"),
        case("three", RIGHT, [[4, 5, 6]], value=15),
    ],
    about="Add up the absolute values.",
    doc="The sum of the absolute values. Raises ValueError without any.",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a build of two sound drafts and one with weak tests."""
    need_sandbox()
    need_module("detect_secrets")
    folder = tmp_path_factory.mktemp("review")
    write_drafts(folder / "drafts.jsonl", [*DRAFTS, WEAK])
    _built(folder, "made@1.0.0")
    return folder


def _built(folder: Path, name: str, *sheets: Path) -> ReleaseBuild:
    options = BenchmarkOptions(
        drafts=(str(folder / "drafts.jsonl"),), name=name, reviewed=tuple(map(str, sheets))
    )
    return build(options, folder / "out")


def _signed(folder: Path, **verdicts: str) -> Path:
    """The sheet with verdicts by task, signed."""
    rows = list(csv.DictReader(io.StringIO((folder / "out" / SHEET).read_text())))
    for row in rows:
        if verdict := verdicts.get(row["task_id"].replace("-", "_")):
            row |= {"verdict": verdict, "reviewer": "anna", "comment": "seen"}
    path = folder / f"{'-'.join(verdicts.values()) or 'empty'}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def _tiers(built: ReleaseBuild) -> dict[str, str]:
    lines = Path(built.release, "admissions.jsonl").read_text().splitlines()
    return {row["task_id"]: row["tier"] for row in map(json.loads, lines)}


def test_the_sheet_has_what_would_be_certified(folder: Path) -> None:
    """With its questions, and nothing signed."""
    rows = list(csv.DictReader(io.StringIO((folder / "out" / SHEET).read_text())))

    assert [row["task_id"] for row in rows] == [each.unit for each in DRAFTS]
    assert all(row["questions"] and row["prompt"] and not row["verdict"] for row in rows)


@pytest.mark.parametrize(
    ("version", "verdicts", "tiers"),
    [
        ("1.1.0", {}, ["unreviewed", "unreviewed"]),
        ("1.2.0", {"word_counts": "accept"}, ["certified", "unreviewed"]),
        ("1.3.0", {"word_counts": "reject", "zero_crossings": "accept"}, ["unreviewed", "certified"]),
    ],
)
def test_only_what_is_accepted_is_certified(
    folder: Path, version: str, verdicts: dict[str, str], tiers: list[str]
) -> None:
    """The same folder, the next version; nothing is executed again."""
    before = (folder / "out/stages/trials.jsonl").read_bytes()
    built = _built(folder, f"made@{version}", _signed(folder, **verdicts))

    assert [_tiers(built)[each.unit] for each in DRAFTS] == tiers
    assert (folder / "out/stages/trials.jsonl").read_bytes() == before
    assert built.manifest["entries"]["test"] == tiers.count("certified")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("a,b,yes,anna", "verdict"),
        ("a,b,accept,", "reviewer"),
        ("a,b,maybe,", "verdict"),
        ("a,b,ACCEPTED,anna", "verdict"),
        ("a,b,reject, ", "reviewer"),
    ],
)
def test_a_faulty_row_is_named(tmp_path: Path, row: str, field: str) -> None:
    """With its place and what to write."""
    path = tmp_path / "sheet.csv"
    path.write_text(f"task_id,revision,verdict,reviewer\n{row}\n")

    with pytest.raises(DataError) as error:
        read_reviews([str(path)])

    assert (error.value.field, error.value.line) == (field, 2)
    assert error.value.hint


HEAD = "task_id,revision,verdict,reviewer,comment\n"


@pytest.mark.parametrize(
    ("rows", "review"),
    [
        (["a,1,accept,anna,good"], ("accept", "anna", "good")),
        (["a,1,accept,anna,", "a,1,accept,bo,fine"], ("accept", "anna, bo", "fine")),
        (["a,1,accept,anna,", "a,1,reject,bo,unclear"], ("reject", "bo", "unclear")),
        (["a,1,reject,anna,unclear", "a,1,accept,bo,"], ("reject", "anna", "unclear")),
        (["'a,'1, Accept , anna ,"], ("accept", "anna", "")),
        (["a,1,,,"], None),
    ],
)
def test_several_reviewers_have_to_agree(
    tmp_path: Path, rows: list[str], review: tuple[str, str, str] | None
) -> None:
    """In one sheet or in one each; a rejection is not outvoted by the sheet that is read last."""
    (tmp_path / "one.csv").write_text(HEAD + "\n".join(rows))
    paths = []
    for number, row in enumerate(rows):
        paths.append(str(tmp_path / f"{number}.csv"))
        Path(paths[-1]).write_text(HEAD + row)

    assert read_reviews([str(tmp_path / "one.csv")]).get(("a", "1")) == review
    assert read_reviews(paths).get(("a", "1")) == review


@pytest.mark.parametrize(("encoding", "sign"), [("utf-8", ","), ("utf-8-sig", ";"), ("utf-8", "\t")])
def test_a_sheet_is_read_as_spreadsheets_save_it(tmp_path: Path, encoding: str, sign: str) -> None:
    """With a mark of its encoding, other delimiters, and line ends of Windows."""
    rows = ["task_id,revision,verdict,reviewer,comment", "a,1,reject,Zoë,no", "b,2,,,"]
    path = tmp_path / "sheet.csv"
    path.write_bytes("\r\n".join(rows).replace(",", sign).encode(encoding))

    assert read_reviews([path]) == {("a", "1"): ("reject", "Zoë", "no")}


def test_a_sheet_in_another_encoding_is_named(tmp_path: Path) -> None:
    """It is no traceback."""
    path = tmp_path / "sheet.csv"
    path.write_bytes((HEAD + "a,1,reject,Zoë,no").encode("cp1252"))

    with pytest.raises(DataError, match="not UTF-8") as error:
        read_reviews([path])

    assert error.value.hint


def test_why_not_shows_a_surviving_mutant(folder: Path) -> None:
    """As a diff, with a call that tells it from the solution."""
    said = "\n".join(uncertified_lines(folder / "out/made@1.0.0"))

    assert "absolute_total is valid, not certified:" in said
    assert "weak_tests" in said
    assert "+        " in said
    assert "a case that shows it: absolute_total(" in said


def test_created_and_time_are_filled(folder: Path) -> None:
    """The date is that of the file of drafts, the time a step."""
    rows = [json.loads(line) for line in (folder / "out/made@1.0.0/data/test.jsonl").read_text().splitlines()]

    assert all(len(row["created"]) == len("2026-01-31") and row["time_s"] >= 0.1 for row in rows)


def test_expected_values_are_filled_in(folder: Path, tmp_path: Path) -> None:
    """From the solution, also exceptions; what is stated stays."""
    entry = DRAFTS[0].entry
    asked = [msgspec.structs.replace(each, expected=ExpectedResult()) for each in entry.cases[:2]]
    emptied = msgspec.structs.replace(
        DRAFTS[0], entry=msgspec.structs.replace(entry, cases=[*asked, *entry.cases[2:]])
    )
    path = write_drafts(tmp_path / "asked.jsonl", [emptied])
    filled = tmp_path / "filled.jsonl"

    done = CliRunner().invoke(
        cli,
        [
            "build",
            "aicodereval",
            "--drafts",
            str(path),
            "--fill-expected",
            str(filled),
            "--out",
            str(tmp_path / "o"),
        ],
    )

    assert done.exit_code == 0, done.output
    row: dict[str, Any] = json.loads(filled.read_text())
    assert [
        each["expected"].get("value") or each["expected"].get("raises") for each in row["entry"]["cases"][:2]
    ] == [
        {"a": 2, "b": 1},
        "ValueError",
    ]
    assert 'word-counts two: gives {"a":2,"b":1}' in done.output

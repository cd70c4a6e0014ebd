"""A review from the first build to the last, by the commands of the guide: no signature is lost on the way."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import msgspec

from kit.command_line import called
from kit.made_drafts import sound, write_drafts
from kit.needs import need_module, need_sandbox

ONE, TWO, THREE = sound()[:3]


def _build(folder: Path, version: str, *more: str) -> None:
    need_sandbox()
    need_module("detect_secrets")
    done = called(
        "build", "aicodereval", "--drafts", str(folder / "drafts.jsonl"), "--out", str(folder / "mine"),
        "--name", f"mine@{version}", "-q", *more,
    )  # fmt: skip
    assert done.code == 0, done.err


def _sheet(folder: Path) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO((folder / "mine/review.csv").read_text("utf-8-sig")))]


def _fill_in(folder: Path, **verdicts: str) -> None:
    """As a spreadsheet saves it, in a country that writes decimals with a comma."""
    rows = _sheet(folder)
    for row in rows:
        if verdict := verdicts.get(row["task_id"].replace("-", "_")):
            row |= {"verdict": verdict, "reviewer": "Zoë", "comment": f"seen; {row['task_id']}"}
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0], delimiter=";", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    (folder / "mine/review.csv").write_text(text.getvalue(), "utf-8-sig", newline="")


def _tiers(folder: Path, version: str) -> dict[str, str]:
    lines = (folder / f"mine/mine@{version}/admissions.jsonl").read_text().splitlines()
    return {row["task_id"]: row["tier"] for row in map(json.loads, lines)}


def _signatures(folder: Path) -> list[tuple[str, str, str]]:
    return [(row["task_id"], row["verdict"], row["reviewer"]) for row in _sheet(folder) if row["verdict"]]


def test_a_review_from_end_to_end(tmp_path: Path) -> None:
    """Build, fill in, build with the sheet, go on reviewing in it; twice the same command is the same release."""
    write_drafts(tmp_path / "drafts.jsonl", [ONE, TWO, THREE])
    _build(tmp_path, "1.0.0")
    assert set(_tiers(tmp_path, "1.0.0").values()) == {"certified"}
    reviewed = ("--reviewed", str(tmp_path / "mine/review.csv"))

    _fill_in(tmp_path, **{ONE.unit.replace("-", "_"): "accept", TWO.unit.replace("-", "_"): "reject"})
    for _ in range(2):
        _build(tmp_path, "1.0.1", *reviewed)
        assert _tiers(tmp_path, "1.0.1") == {
            ONE.unit: "certified",
            TWO.unit: "unreviewed",
            THREE.unit: "unreviewed",
        }
    assert _signatures(tmp_path) == [(ONE.unit, "accept", "Zoë"), (TWO.unit, "reject", "Zoë")]

    _fill_in(tmp_path, **{THREE.unit.replace("-", "_"): "accept"})
    _build(tmp_path, "1.0.2", *reviewed)
    assert _tiers(tmp_path, "1.0.2")[THREE.unit] == "certified"
    assert len(_signatures(tmp_path)) == 3


def test_a_faulty_sheet_is_not_written_over(tmp_path: Path) -> None:
    """The build says what is wrong with it, before anything is executed."""
    write_drafts(tmp_path / "drafts.jsonl", [ONE])
    (tmp_path / "mine").mkdir()
    sheet = tmp_path / "mine/review.csv"
    sheet.write_text("task_id,revision,verdict,reviewer\na,b,perhaps,anna\n")

    done = called(
        "build", "aicodereval", "--drafts", str(tmp_path / "drafts.jsonl"), "--out", str(tmp_path / "mine")
    )

    assert done.code == 1
    assert "'perhaps' is not a verdict" in done.err
    assert "perhaps" in sheet.read_text()


def test_signatures_of_former_revisions_stay(tmp_path: Path) -> None:
    """A changed draft is reviewed again; what was said of it before is not thrown away."""
    write_drafts(tmp_path / "drafts.jsonl", [ONE])
    _build(tmp_path, "1.0.0")
    _fill_in(tmp_path, **{ONE.unit.replace("-", "_"): "accept"})
    entry = msgspec.structs.replace(ONE.entry, description=ONE.entry.description + " Do it well.")
    (tmp_path / "kept.csv").write_bytes((tmp_path / "mine/review.csv").read_bytes())
    write_drafts(tmp_path / "drafts.jsonl", [msgspec.structs.replace(ONE, entry=entry)])
    former = (tmp_path / "mine").rename(tmp_path / "former")
    (tmp_path / "mine").mkdir()
    (former / "review.csv").rename(tmp_path / "mine/review.csv")

    _build(tmp_path, "1.0.1", "--reviewed", str(tmp_path / "kept.csv"))

    assert _tiers(tmp_path, "1.0.1")[ONE.unit] == "unreviewed"
    assert (len(_sheet(tmp_path)), len(_signatures(tmp_path))) == (2, 1)

"""Sheets at the command line: out to two raters, filled in, and back as votes, figures and what is left open."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.running.run_data import open_run, read_score
from kit.command_line import called, contents
from kit.graded_runs import ANSWER, COMMENTS, ISSUES, graded_run, rules

LABELS = {1: "correct", 2: "correct", 3: "wrong", 4: "partly"}
Fill = Callable[[dict[str, str]], dict[str, str]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A run of four answers to issues, none of them decided."""
    ends: dict[Any, Any] = {task: [(f"answer {task}", "undecided", {})] for task in LABELS}
    graded_run(tmp_path / "run", ISSUES, ends)
    return tmp_path


def says(place: Path, *line: object, code: int = 0) -> dict[str, Any]:
    """The JSON of a command."""
    said = called("judge", *line, "--json", cwd=place)
    assert said.code == code, said.err
    found: dict[str, Any] = json.loads(said.out) if said.out else {}
    return found


def task_of(row: dict[str, str]) -> int:
    """Which task a row of a sheet is about."""
    return int(row["answer"].split()[-1])


def fill(path: Path, how: Fill, *, delimiter: str = ",", encoding: str = "utf-8-sig") -> None:
    """Fill in a sheet as a spreadsheet does: read it, write cells, save it."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding=encoding, newline="", errors="replace") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows({**row, **how(row)} for row in rows)


def test_two_raters_by_sheets(place: Path) -> None:
    """They agree on three of four: three are decided, and the fourth goes to an adjudicator, who decides it."""
    made = says(place, "export", "run", "--judges", "anna,boris", "--out", "sheets")
    assert [Path(path).name for path in made["sheets"]] == ["anna.csv", "boris.csv"]
    fill(place / "sheets/anna.csv", lambda row: {"decision": LABELS[task_of(row)], "comment": "=1+1"})
    fill(
        place / "sheets/boris.csv",
        lambda row: {"decision": "wrong" if task_of(row) == 1 else LABELS[task_of(row)]},
    )

    back = says(place, "import", "sheets/anna.csv", "sheets/boris.csv", "--run", "run")

    assert (back["taken"], back["refused"], len(back["to_adjudicate"])) == (8, [], 1)
    assert back["agreement"]["decision"]["items"] == 4
    score = read_score(open_run(place / "run"))
    assert score.outcomes == {"passed": 1, "scored": 1, "undecided": 1, "wrong": 1}
    assert score.details["people"]["agreement"] == {"decision": {"share": 0.75, "items": 4}}

    says(place, "export", "run", "--adjudicate", "--judges", "vera", "--out", "last")
    fill(place / "last/vera.csv", lambda row: {"decision": "correct"})
    with (place / "last/vera.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert sorted(row["votes"].splitlines()) == ["decision: correct (=1+1)", "decision: wrong"]
    assert "anna" not in row["votes"] and "boris" not in row["votes"]
    back = says(place, "import", "last/vera.csv", "--run", "run")

    assert back["to_adjudicate"] == []
    people = read_score(open_run(place / "run")).details["people"]
    assert people["results"] == {"unanimous": 3, "majority": 0, "single": 0, "adjudicated": 1, "none": 0}
    assert people["votes"] == 9, "the originals stay"


def test_sheets_are_blind_and_shuffled(place: Path) -> None:
    """Nothing in a sheet tells run, model or task; each judge has an order of their own, the same each time."""
    says(place, "export", "run", "--judges", "anna,boris", "--out", "sheets", "--seed", "7")
    says(place, "export", "run", "--judges", "anna,boris", "--out", "again", "--seed", "7")
    texts = {name: (place / "sheets" / f"{name}.csv").read_text("utf-8") for name in ("anna", "boris")}

    assert contents(place / "sheets") == contents(place / "again")
    for text in texts.values():
        assert not any(word in text for word in ("openai", "run", "undecided", "accepted"))
    orders = [[row["item"] for row in csv.DictReader(io.StringIO(text))] for text in texts.values()]
    assert orders[0] != orders[1]


def test_an_import_twice_adds_nothing(place: Path) -> None:
    """The same sheet again is known; a changed one is refused by cell, and the first word stands."""
    says(place, "export", "run", "--judges", "anna", "--out", "sheets")
    fill(place / "sheets/anna.csv", lambda row: {"decision": "Correct"})
    says(place, "import", "sheets/anna.csv", "--run", "run")
    before = contents(place / "run")
    back = says(place, "import", "sheets/anna.csv", "--run", "run")
    assert (back["taken"], back["known"], contents(place / "run")) == (0, 4, before)

    fill(place / "sheets/anna.csv", lambda row: {"decision": "wrong" if task_of(row) == 1 else "correct"})
    back = says(place, "import", "sheets/anna.csv", "--run", "run", code=1)

    (refused,) = back["refused"]
    assert refused["why"] == "is doubled: anna has said correct of this item before"
    assert contents(place / "run") == before


def test_each_refused_row_is_named(place: Path) -> None:
    """By file, line, field and reason; the other rows are votes."""
    says(place, "export", "run", "--judges", "anna", "--out", "sheets")
    bad = {
        1: {"decision": "maybe"},
        2: {"item": "no such item", "decision": "wrong"},
        3: {"judge": "mallory", "decision": "wrong"},
        4: {"decision": "correct"},
    }
    fill(place / "sheets/anna.csv", lambda row: bad[task_of(row)])

    back = says(place, "import", "sheets/anna.csv", "--run", "run", code=1)

    assert back["taken"] == 1
    assert {each["field"]: each["why"] for each in back["refused"]} == {
        "decision": "maybe is none of correct, partly, wrong, cannot_tell",
        "item": "no such item is not an item of these runs",
        "judge": "mallory is none of the judges: anna",
    }
    assert all(each["file"] == "sheets/anna.csv" and each["row"] > 1 for each in back["refused"])


def test_comments_are_rated_and_held_against_rules(tmp_path: Path) -> None:
    """Three grades an item, in a sheet of a Russian spreadsheet: semicolons and another encoding."""
    ends: dict[Any, Any] = {task: [(ANSWER, "scored", {"scores": rules()})] for task in range(1, 5)}
    graded_run(tmp_path / "run", COMMENTS, ends)
    says(tmp_path, "export", "run", "--judges", "anna", "--out", "s", "--language", "ru")
    grades = {"logic": "4", "accuracy": "5,0", "format": " 3 ", "comment": "хорошо"}
    fill(tmp_path / "s/anna.csv", lambda row: grades, delimiter=";", encoding="cp1251")

    refused = called("judge", "import", "s/anna.csv", "--run", "run", cwd=tmp_path)
    assert (refused.code, "--encoding cp1251" in refused.err) == (1, True)
    back = says(tmp_path, "import", "s/anna.csv", "--run", "run", "--encoding", "cp1251")

    figures = back["runs"]["run"]["people"]["figures"]
    assert back["taken"] == 12
    assert {name: figures[name]["people"]["value"] for name in ("logic", "accuracy", "format")} == {
        "logic": pytest.approx(0.75),
        "accuracy": pytest.approx(1.0),
        "format": pytest.approx(0.5),
    }
    shown = called("judge", "score", "run", cwd=tmp_path)
    assert "4 of 4 answers labelled by people, uncalibrated" in shown.out


def test_pairs_swap_their_sides(place: Path) -> None:
    """Whatever stood first in the sheet, the vote names the run; it goes into both folders."""
    ends: dict[Any, Any] = {task: [(f"better answer {task}", "undecided", {})] for task in LABELS}
    graded_run(place / "other", ISSUES, ends, model="openai:other")
    for name in ("run", "other"):  # the kit names answers by task alone
        for file in ("answers.jsonl", "verdicts.jsonl"):
            path = place / name / file
            path.write_text(path.read_text().replace('"key":"', f'"key":"{name}-'))
    says(place, "export", "run", "other", "--kind", "pairs", "--judges", "anna,boris", "--out", "p")
    sides = set()

    def better(row: dict[str, str]) -> dict[str, str]:
        """The other run's answer is, on whichever side it stands."""
        side = "A" if row["answer_a"].startswith("better") else "b"
        sides.add(side)
        return {"preference": side}

    for judge in ("anna", "boris"):
        fill(place / f"p/{judge}.csv", better)

    back = says(place, "import", "p/anna.csv", "p/boris.csv", "--run", "run", "--run", "other")

    assert sides == {"A", "b"}, "sides are swapped"
    assert back["taken"] == 8
    votes = [json.loads(line) for line in (place / "run/votes.jsonl").read_text().splitlines()]
    assert {vote["value"] for vote in votes} == {"b"}
    assert (place / "run/votes.jsonl").read_bytes() == (place / "other/votes.jsonl").read_bytes()


def test_show_says_what_people_made_of_an_answer(place: Path) -> None:
    """The result and how it came about, for people and in JSON."""
    says(place, "export", "run", "--judges", "anna,boris", "--out", "sheets")
    fill(place / "sheets/anna.csv", lambda row: {"decision": "correct"})
    fill(place / "sheets/boris.csv", lambda row: {"decision": "wrong" if task_of(row) == 2 else "correct"})
    says(place, "import", "sheets/anna.csv", "sheets/boris.csv", "--run", "run")

    assert "people, decision: correct (unanimous, 2 blind votes)" in called("show", "run", "1", cwd=place).out
    assert "people, decision: no result (none, 2 blind votes" in called("show", "run", "2", cwd=place).out
    found = json.loads(called("show", "run", "1", "--json", cwd=place).out)
    assert found["answers"][0]["people"][0]["result"] == "unanimous"


@pytest.mark.parametrize("form", ["argilla", "label-studio"])
def test_other_tools_files_there_and_back(place: Path, form: str) -> None:
    """Votes that were written for another tool are known when they come back; into another run they are news."""
    says(place, "export", "run", "--judges", "anna,boris", "--out", "sheets")
    for judge in ("anna", "boris"):
        fill(place / f"sheets/{judge}.csv", lambda row: {"decision": LABELS[task_of(row)]})
    says(place, "import", "sheets/anna.csv", "sheets/boris.csv", "--run", "run")
    says(place, "export", "run", "--format", form, "--with-votes", "--out", "other")

    assert says(place, "import", "other", "--run", "run")["known"] == 8
    (place / "run/votes.jsonl").unlink()
    back = says(place, "import", "other", "--run", "run")

    assert (back["taken"], back["refused"]) == (8, [])
    votes = [json.loads(line) for line in (place / "run/votes.jsonl").read_text().splitlines()]
    assert {vote["judge"] for vote in votes} == {"anna", "boris"}
    again = called("judge", "export", "run", "--format", "argilla", "--out", "other", cwd=place)
    assert (again.code, "exists" in again.err or "already" in again.err) == (
        (1, True) if form == "argilla" else (0, False)
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("export", "run", "--out", "s"), "--judges anna,boris"),
        (("export", "run", "--judges", "a/b", "--out", "s"), "letters, digits"),
        (("export", "run", "--judges", "anna,Anna", "--out", "s"), "duplicate name"),
        (("export", "run", "--judges", "anna"), "--out"),
        (("export", "run", "--kind", "pairs", "--judges", "anna", "--out", "s"), "second run"),
        (("export", "run", "--database", "x.db"), "--project"),
        (("export", "run", "--adjudicate", "--judges", "vera", "--out", "s"), "no votes yet"),
        (("import", "nothing.csv", "--run", "run", "--judges", "anna"), "no file at nothing.csv"),
        (("import", "run/run.json", "--run", "run"), "hint"),
        (("score", "nothing"), "hint"),
    ],
)
def test_bad_input_says_what_to_do(place: Path, line: tuple[str, ...], said: str) -> None:
    """With a hint, and nothing written."""
    found = called("judge", *line, cwd=place)

    assert found.code in (1, 2) and said in found.err
    assert not (place / "s").exists() and "Traceback" not in found.err

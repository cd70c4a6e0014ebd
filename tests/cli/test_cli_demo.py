"""`benchwright demo`: accounts that add up, no cheat that passes, comparisons in words, and a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from benchwright.cli import demo, demo_stored
from benchwright.cli.demo import MODELS, NAME
from demo_source.entries import entries, refused_cards, refused_drafts
from demo_source.make import entry_kinds
from kit.command_line import Said, benchwright, called
from kit.needs import need_module

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("jail")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def first(folder: Path) -> tuple[Said, bytes]:
    """What the first demo prints, and its page."""
    need_module("detect_secrets")
    said = benchwright("demo", "--out", folder / "demo", COLUMNS="80", BENCHWRIGHT_COMMAND="benchwright")
    return said, (folder / "demo/report.html").read_bytes()


@pytest.fixture(scope="module")
def again(first: tuple[Said, bytes], folder: Path) -> tuple[Said, demo.DemoResults]:
    """The same demo again, which goes on from the first: its document, and its results."""
    kept = []

    def run(*args: Any, **named: Any) -> demo.DemoResults:
        kept.append(original(*args, **named))
        return kept[-1]

    original = demo._run
    with mock.patch.object(demo, "_run", run):
        said = called("demo", "--json", "--out", folder / "demo")
    return said, kept[-1]


@pytest.fixture(scope="module")
def said(again: tuple[Said, demo.DemoResults]) -> Said:
    return again[0]


@pytest.fixture(scope="module")
def scores(said: Said) -> dict[str, Any]:
    return {score["model"]: score for score in said.document["scores"]}


def test_accounts_add_up(said: Said, scores: dict[str, Any], folder: Path) -> None:
    """Each model's outcomes add up to its 240 answers, after a self-check without a fault."""
    sums = {model: (sum(score["outcomes"].values()), score["answers"]) for model, score in scores.items()}
    runs = [path for path in (folder / "demo").iterdir() if (path / "scores.json").exists()]

    assert (said.code, sums, len(runs)) == (0, dict.fromkeys(MODELS, (240, 240)), 4 + 3 + 3 + 3 + 3)
    assert [score["self_check"]["failures"] for score in scores.values()] == [[]] * 4


def test_cheats_are_named_and_none_passes(said: Said) -> None:
    """Only the cheater cheats."""
    caught = said.document["caught"]
    passed = [row for rows in caught.values() for row in rows if row["outcome"] == "passed"]

    assert ([bool(caught[model]) for model in MODELS], passed) == ([False, False, True, False], [])


def test_the_live_model_is_asked(scores: dict[str, Any], folder: Path) -> None:
    """Ten prompts are used, each question has its own seed, and every fault of the server was got over."""
    live = scores[NAME]
    text = next((folder / "demo").glob(f"{NAME}-*/answers.jsonl")).read_text("utf-8")

    assert (live["prompt_design"], len(live["prompts"]), live["missing"]) == ("spread", 10, 0)
    assert (text.count('"seed":'), live["tokens_out"] > 0) == (240, True)
    assert any("the server's fault" in note for note in live["notes"])


def test_what_is_established_is_said(said: Said) -> None:
    """Strong against weak is, in all tracks; strong against the same answers over HTTP is not."""
    better, unknown, righter, comments, answers, solver = said.document["compared"]

    assert "demo-strong passes more than demo-weak" in better
    assert "demo-strong is right more often than demo-weak" in righter
    assert "demo-strong comments better than demo-weak" in comments
    assert "demo-strong is right more often than demo-weak" in answers
    assert "demo-strong solves more than demo-weak" in solver
    assert unknown.startswith("Not established which of demo-strong and demo-live passes more")


def test_labels_are_scored(said: Said) -> None:
    """Each model's answers are read as they were meant; the baseline that they must beat is there."""
    scores = {score["model"]: score for score in said.document["labels"]["scores"]}
    right = {
        model: [score["outcomes"].get(name, 0) for name in ("passed", "unparsable")]
        for model, score in scores.items()
    }
    majority = [score["details"]["baselines"]["majority"]["label"] for score in scores.values()]

    assert right == {"demo-strong": [22, 1], "demo-weak": [12, 6], "demo-cheater": [7, 13]}
    assert majority == ["success"] * 3


def test_comments_and_answers_are_judged(said: Said) -> None:
    """By rules and by the stored judge, which proved itself; changed code and empty answers are settled by rules."""
    made = said.document["smartcoding"]
    ends = {
        track: {score["model"]: score["outcomes"] for score in made[track]}
        for track in ("smartcoding-comments", "smartcoding-issues")
    }
    ends = {
        track: {model: _some(counts) for model, counts in models.items()} for track, models in ends.items()
    }

    assert made["unscored"] == {}
    assert ends["smartcoding-comments"] == {
        "demo-strong": {"scored": 72},
        "demo-weak": {"scored": 72},
        "demo-cheater": {"scored": 54, "wrong": 18},
    }
    assert ends["smartcoding-issues"] == {
        "demo-strong": {"passed": 12},
        "demo-weak": {"scored": 3, "wrong": 9},
        "demo-cheater": {"wrong": 12},
    }


def _some(counts: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def test_labels_hold_but_for_the_flaky_one(said: Said) -> None:
    """Executed, every label is right in each language that is installed, and one row is named as flaky."""
    checked = said.document["labels"]["checked"]
    counts = {lang: {name: n for name, n in each.items() if n} for lang, each in checked["languages"].items()}
    python, others = counts.pop("Python"), list(counts.values())

    assert (python, checked["repeat"]) == ({"agrees": 8, "flaky": 1}, demo_stored.REPEAT)
    assert [each for each in others if each not in ({"agrees": 8}, {"absent": 8})] == []
    assert [row["task_id"] for row in checked["findings"] if row["finding"] == "flaky"] == [9]


def test_entries_are_built_and_refused(said: Said) -> None:
    """The sound drafts and cards are the test split, and each of the others is refused for its own reason."""
    built = said.document["entries"]["built"]
    release = Path(built["release"])
    rows = {name: _lines(release / name) for name in ("data/test.jsonl", "dropped.jsonl", "admissions.jsonl")}
    dropped = {row["unit"].removeprefix("cards:"): {row["reason"]} for row in rows["dropped.jsonl"]}
    kept = {
        row["task_id"]: {each.get("reason") for each in row["decisions"].values()}
        for row in rows["admissions.jsonl"]
    }
    wanted = {unit: reason for unit, (reason, _) in refused_drafts().items()} | refused_cards()
    dropped["closed-box"] = dropped.pop("top-labels-closed-box")

    assert [row["task_id"] for row in rows["data/test.jsonl"]] == [each.unit for each in entries()]
    assert {unit: reason for unit, reason in wanted.items() if reason not in {**dropped, **kept}[unit]} == {}
    assert built["manifest"]["entries"] == {"test": 16, "train": 12, "unverified": 1}


def test_entries_are_solved(said: Said) -> None:
    """Each model's answers end as they were meant to, level by level and domain by domain; no cheat passes."""
    scores = {score["model"]: score for score in said.document["entries"]["scores"]}
    right = {model: score["outcomes"].get("passed", 0) for model, score in scores.items()}
    groups = scores["demo-weak"]["details"]["groups"]

    assert right == {model: entry_kinds(model)["right"] for model in scores}
    assert all(
        score["metrics"]["sr_any"]["value"] > score["metrics"]["sr_all"]["value"] for score in scores.values()
    )
    assert (set(groups["level"]), len(groups["domain"])) == ({"normal", "edge_case", "correctness"}, 7)


def test_the_history_is_mined(said: Said) -> None:
    """The release of the small history has its card, and each link its rung or none."""
    found = said.document["alignment"]

    assert (found["links"], found["unbuilt"]) == ({"1": 1, "2": 1, "3": 2, "6": 2, "unknown": 2}, "")
    assert found["built"]["manifest"]["tables"]["events"] == 13
    assert "# " in Path(found["card"]).read_text("utf-8")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_the_report_is_written(first: tuple[Said, bytes], again: tuple[Said, demo.DemoResults]) -> None:
    """One page for all tracks; the same demo again writes the same. With --verbose it prints more of the same."""
    said, results = again
    page = Path(said.document["report"])
    with mock.patch.object(demo, "_run", return_value=results):
        verbose = called("demo", "--verbose", "--out", page.parent)
    flaky = "row 9 (Python): flaky, passed 1 of 3 times, so its label is meaningless"
    shown = {*MODELS, *demo_stored.MODELS, "ruhumaneval", "codecorrectness"}

    assert (verbose.code, verbose.out) == (0, f"{page}\n")
    assert (page.read_bytes() == first[1], {word for word in shown if word.encode() not in first[1]}) == (
        True,
        set(),
    )
    assert flaky in verbose.err
    assert "24 of 24 hold" in verbose.err or "not executed" in verbose.err


def test_the_output_fits_two_screens(first: tuple[Said, bytes], said: Said) -> None:
    """A table and the comparisons of each track in at most 45 lines of 80 columns, with the page on stdout."""
    page = Path(said.document["report"])
    short = first[0]
    lines = short.err.splitlines()
    compared = [line for line in lines if "demo-strong" in line and "points" in line]

    assert (short.code, short.out) == (0, f"{page}\n")
    assert len(lines) + 1 <= 45
    assert [line for line in lines if len(line) > 80 and str(page.parent) not in line] == []
    assert len(compared) == len(said.document["compared"])
    assert "Alignment · 1 repository · 13 events · 8 links (rung 1:1, 2:1, 3:2, 6:2, none:2)" in lines
    assert len([line for line in lines if "tried to cheat" in line and "95 of 240" in line]) == 1

"""A track that no file of Benchwright knows: run, compared, ranked, shown and reported by its own measures."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import Said, benchwright
from kit.examples import SCALE
from kit.small_data import write
from kit.three_classes import CLASSES, install

pytestmark = pytest.mark.usefixtures("jail")

TASKS = 18


class Place:
    """Two runs of the track in a folder, and commands that find it installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "site").mkdir()
        path = [str(install(folder / "site")), os.environ.get("PYTHONPATH", "")]
        self.environment = {"PYTHONPATH": os.pathsep.join(filter(None, path)), "COLUMNS": "200"}
        rows = [{"id": at, "code": f"f({at})", "class": CLASSES[at % 3]} for at in range(TASKS)]
        write(folder / "rows.jsonl", rows)
        self.run("good", [CLASSES[at % 3] for at in range(TASKS)])
        self.run("poor", [CLASSES[at % 3] if at < 4 else "high" if at < 12 else "?" for at in range(TASKS)])

    def run(self, name: str, said: list[str]) -> None:
        """Score stored answers."""
        rows = [{"task_id": at, "completion": f"It is {each}"} for at, each in enumerate(said)]
        stored = write(self.folder / f"{name}.jsonl", rows)
        given = ("--data", self.folder / "rows.jsonl", "--model", f"replay:{stored}")
        done = self.do("run", "threeclasses", *given, "--out", self.folder / name, "--workers", 1)
        assert done.code == 0, done.err
        (self.folder / f"{name}.txt").write_text(done.err)

    def do(self, *args: object) -> Said:
        """A command in a process of its own."""
        return benchwright(*args, **self.environment)

    def both(self, *args: object) -> Said:
        """A command about both runs."""
        done = self.do(args[0], self.folder / "poor", self.folder / "good", *args[1:])
        assert done.code == 0, done.err
        return done


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Place:
    """The runs are made once."""
    return Place(tmp_path_factory.mktemp("classes"))


def _scores(place: Place, name: str) -> dict[str, Any]:
    scores: dict[str, Any] = json.loads((place.folder / name / "scores.json").read_text())
    return scores


def test_a_run_is_scored_by_its_own_measures(place: Place) -> None:
    """Stored as shares; shown by scale, in the track's order, with its finding and its groups."""
    metrics, shown = _scores(place, "poor")["metrics"], (place.folder / "poor.txt").read_text()
    right = 4 + sum(at % 3 == 2 for at in range(4, 12))

    assert metrics["accuracy"]["value"] == pytest.approx(right / TASKS)
    assert metrics["credit"]["value"] == pytest.approx((right + 0.3 * (12 - right)) / TASKS)
    assert metrics["blank"]["value"] == pytest.approx(6 / TASKS)
    credit = metrics["credit"]
    figure = f"{100 * credit['value']:.1f} {100 * credit['low']:.1f}–{100 * credit['high']:.1f}"
    assert [text in " ".join(shown.split()) for text in (f"credit {figure}", "no class 33.3 %")] == [True] * 2
    assert ["No class is left out." in shown, "class medium" in shown] == [True, True]
    assert shown.index("accuracy") < shown.index("credit") < shown.index("no class")


def test_runs_are_compared_by_any_measure_with_a_value_for_each_task(place: Place) -> None:
    """In the track's words: by the first of them, in points, and where less is better."""
    first = place.both("compare", "--json").document
    by_points = place.both("compare", "--metric", "credit")
    blank = place.both("compare", "--metric", "blank", "--json").document

    assert (first["metric"], first["better"]) == ("accuracy", "good")
    assert first["sentence"].startswith("good is right more often than poor: +")
    assert "good earns more points than poor: +" in by_points.err
    assert "points of credit" in by_points.err
    assert "30" in by_points.err.split() and "30 %" not in by_points.err
    assert (blank["better"], blank["difference"]["value"]) == ("good", pytest.approx(1 / 3))
    assert blank["sentence"].startswith("good is less often blank than poor: −33.3 points of no class")


# Each measure, and each way to place; every pair of them takes a process of its own, so only weekly.
PAIRS = [("accuracy", "each"), ("credit", "bootstrap"), ("blank", "bootstrap")]
if SCALE > 1:
    PAIRS = [(metric, places) for metric, _ in PAIRS for places in ("each", "bootstrap")]


@pytest.mark.parametrize(("metric", "places"), PAIRS)
def test_the_better_model_is_ranked_first(place: Place, metric: str, places: str) -> None:
    """Whichever way is better."""
    standing = place.both("rank", "--metric", metric, "--places", places, "--json").document

    assert [(each["name"], each["best"]) for each in standing["places"]] == [("good", 1), ("poor", 2)]


def test_a_report_has_the_track_s_figures(place: Place) -> None:
    """Points without a per cent sign, the table of groups, and the answers as classes."""
    page = place.folder / "page.html"
    place.both("report", "--out", page, "--metric", "credit")
    text = page.read_text(encoding="utf-8")

    assert '<th scope="col" class="number">no class</th>' in text
    assert "From best to worst by credit" in text
    assert '100.0 <span class="range">' in text
    assert "<h3>By class</h3>" in text
    assert "Answers that are right, by task and model" in text
    assert "pass@k" not in text


def test_an_answer_is_shown_with_what_was_expected(place: Place) -> None:
    """As for any track that executes nothing."""
    shown = place.do("show", place.folder / "poor", 4).out

    assert ["said: high" in shown, "expected: medium" in shown] == [True, True]


def test_where_the_track_is_missing_runs_are_not_compared(place: Place) -> None:
    """Nobody here knows what its figures are made of; the hint says who does."""
    compared = benchwright("compare", place.folder / "poor", place.folder / "good")

    assert (compared.code, "no metric in common" in compared.err) == (1, True)
    assert "install the package of the track threeclasses" in compared.err

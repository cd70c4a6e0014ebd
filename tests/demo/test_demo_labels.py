"""The demo's rows of CodeCorrectness and what the models say of them. Nothing is run here: the demo does."""

from __future__ import annotations

import json
import re
from collections import Counter
from importlib import resources

import pytest

from benchwright.building.codecorrectness.row_records import load_rows, suite_of
from benchwright.stats.association import dominance
from benchwright.stats.logistic import cross_validated
from benchwright.text.label import read_label
from benchwright.tracks.correctness.layout_baseline import LayoutPair, features
from benchwright.tracks.correctness.track import TRACK
from demo_source.labels import INVALID, MANNERS, PLANS, WAYS, Said, said
from demo_source.make import files, label_kinds
from demo_source.pairs import DemoPair, pairs

FOLDER = resources.files("benchwright.demo")
PAIRS = pairs()
ANSWERS = [
    pytest.param(model, n, each, id=f"{model}-{n}")
    for model in PLANS
    for n, each in enumerate(said(model), 1)
]
COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*)|\"\"\"", re.MULTILINE)


def test_both_labels_in_each_language() -> None:
    """Eight pairs a language, half of them right, and a flaky one beside them."""
    counts = Counter((pair.lang, pair.label) for pair in PAIRS if not pair.is_flaky)
    flaky = [(pair.number, pair.lang) for pair in PAIRS if pair.is_flaky]

    assert set(counts.values()) == {4}
    assert (len(counts), flaky) == (6, [(9, "Python")])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.focal_path)
def test_a_pair_is_small(pair: DemoPair) -> None:
    """15 to 60 lines and a test of one case; no name or comment gives the bug or the label away."""
    text = f"{pair.focal_path} {pair.focal_code} {pair.test_code}".lower()
    told = [word for word in ("bug", "wrong", "fixme", "todo", "flaky", "broken", "mutable") if word in text]

    assert 15 <= pair.focal_code.count("\n") <= 60
    assert (5 <= pair.test_code.count("\n") <= 30, told) == (True, [])


def test_each_pair_has_one_case() -> None:
    """Every pair can be laid out as a project and has exactly one test case."""
    file = FOLDER.joinpath("codecorrectness.jsonl")
    with resources.as_file(file) as path:
        suites = [suite_of(row) for row, _ in load_rows(path)]

    assert [len(suite.cases) for suite in suites] == [1] * len(PAIRS)
    assert {suite.framework for suite in suites} == {"pytest", "unittest", "junit5", "junit4", "go"}


def test_rows_are_those_of_the_track() -> None:
    """The track reads every row; each says whose work it is, and shows both files to the model."""
    with resources.as_file(FOLDER.joinpath("codecorrectness.jsonl")) as path:
        tasks = list(TRACK.load(path))
    shown = [pair.focal_code.strip() in TRACK.prompt(task) for pair, task in zip(PAIRS, tasks, strict=True)]

    assert {(task.meta["author"], task.meta["license"]) for task in tasks} == {("Benchwright", "Apache-2.0")}
    assert ([task.outputs for task in tasks], shown) == ([pair.label for pair in PAIRS], [True] * len(PAIRS))


def test_shape_does_not_tell_the_label() -> None:
    """Neither one feature of shape nor a classifier of all of them finds out what the label is."""
    labelled = [pair for pair in PAIRS if not pair.is_flaky]
    rows = [
        features(LayoutPair(focal_code=each.focal_code, test_code=each.test_code, label=each.label))
        for each in labelled
    ]
    truth = [pair.label == "success" for pair in labelled]
    chances = cross_validated([list(row.values()) for row in rows], truth, folds=4)
    right = sum((chance >= 0.5) == is_first for chance, is_first in zip(chances, truth, strict=True))
    names = [name for name in rows[0] if len({row[name] for row in rows}) > 1]
    tells = []
    for name in names:
        first = [row[name] for row, is_first in zip(rows, truth, strict=True) if is_first]
        second = [row[name] for row, is_first in zip(rows, truth, strict=True) if not is_first]
        area = dominance(first, second, confidence=1 - 0.05 / len(names))
        tells += [] if area.low <= 0.5 <= area.high else [name]

    assert (tells, right <= 16) == ([], True)  # of 24: a coin gets 17 or more in three cases of a hundred


@pytest.mark.parametrize(("model", "number", "answer"), ANSWERS)
def test_an_answer_says_what_it_was_meant_to(model: str, number: int, answer: Said) -> None:
    """Each written answer is read as its label, and those without one as none."""
    assert read_label(answer.text).value == answer.meant


@pytest.mark.parametrize("name", WAYS)
def test_a_way_can_say_both_labels(name: str) -> None:
    """So that the way in which a model talks does not tell what it says."""
    for pair in PAIRS:
        said_by_way = [read_label(WAYS[name](pair, label)).value for label in ("success", "failed")]

        assert said_by_way == ["success", "failed"]


def test_plans() -> None:
    """A letter for each row, every letter and every kind of answer without a label in use."""
    letters = {model: plan.replace(" ", "") for model, plan in PLANS.items()}

    assert {len(plan) for plan in letters.values()} == {len(PAIRS)}
    assert set("".join(letters.values())) == {"+", "-", *INVALID}
    assert MANNERS.keys() == PLANS.keys()


def test_the_models_differ_in_merit() -> None:
    """Strong is nearly always right, weak half of the time, and the cheater mostly says no label."""
    right = {
        model: sum(pair.label == each.meant for pair, each in zip(PAIRS, said(model), strict=True))
        for model in PLANS
    }
    none = {model: sum(each.meant is None for each in said(model)) for model in PLANS}

    assert right == {"demo-strong": 22, "demo-weak": 12, "demo-cheater": 7}
    assert none == {"demo-strong": 1, "demo-weak": 6, "demo-cheater": 13}


@pytest.mark.parametrize("model", PLANS)
def test_stored_answers(model: str) -> None:
    """One answer a row, in order, under the model's name; only what was cut off says "length"."""
    rows = [json.loads(line) for line in files()[f"labels/{model}.jsonl"].splitlines()]
    cut = {row["task_id"] for row in rows if row["finish_reason"] == "length"}

    assert [(row["task_id"], row["model"]) for row in rows] == [(pair.number, model) for pair in PAIRS]
    assert cut == {number for number, each in enumerate(said(model), 1) if each.kind == "cut off"}


@pytest.mark.parametrize("model", PLANS)
def test_the_readme_counts_the_kinds(model: str) -> None:
    """The table of kinds in the folder's README is the builder's own count."""
    text = FOLDER.joinpath("README.md").read_text("utf-8")
    section = text.split(f"## Labels of {model}\n")[1].split("\n## ")[0]
    table = Counter({kind: int(count) for kind, count in re.findall(r"^\| (.+) \| (\d+) \|$", section, re.M)})

    assert table == label_kinds(model)


def test_comments_do_not_count_by_label() -> None:
    """Wrong code is not the less commented one."""
    comments = {
        label: [
            len(COMMENT.findall(pair.focal_code))
            for pair in PAIRS
            if pair.label == label and not pair.is_flaky
        ]
        for label in ("success", "failed")
    }
    area = dominance(comments["success"], comments["failed"], confidence=0.95)

    assert area.low <= 0.5 <= area.high

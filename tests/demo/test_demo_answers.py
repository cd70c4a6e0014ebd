"""The stored answers: what the sources give, well formed, and bounded. None of them is run here."""

import ast
import json
import os
import re
from collections import Counter
from hashlib import sha256
from importlib import resources
from pathlib import Path

import pytest

from benchwright.contracts import BatchSpec
from benchwright.records import Task
from demo_source import cheater, strong, weak
from demo_source.make import MODELS, files, kinds
from demo_source.shapes import SHAPES, function
from demo_source.text import task_texts
from kit.processes import python

FOLDER = resources.files("benchwright.demo")
TEXTS = task_texts()
CHEATS = {kind for kind, _ in cheater.CHEATS}


def rows(model):
    return [json.loads(line) for line in FOLDER.joinpath(f"{model}.jsonl").read_bytes().splitlines()]


def written(model):
    return [answer for task in TEXTS for answer in MODELS[model](task)]


@pytest.fixture(scope="module")
def built():
    """The texts of all files by their names."""
    return files()


def test_rebuilding_gives_the_same_bytes(built):
    """The stored file is exactly what the sources build."""
    assert len(built) > 30
    differing = [
        name for name, text in built.items() if text.encode("utf-8") != FOLDER.joinpath(name).read_bytes()
    ]
    assert differing == []


def test_the_build_does_not_depend_on_hash_order(built):
    """Another process with another hash seed builds the same files."""
    code = "from demo_source.make import files; import hashlib, sys; "
    code += "sys.stdout.write(hashlib.sha256(repr(files()).encode()).hexdigest())"
    environment = {**os.environ, "PYTHONHASHSEED": "4242", "PYTHONPATH": str(Path(__file__).parents[2])}
    done = python(code, env=environment)

    assert (sha256(repr(built).encode()).hexdigest(), "") == (done.stdout, done.stderr)


@pytest.mark.parametrize("model", MODELS)
def test_ten_answers_for_each_task(model):
    """Each task has ten rows, in order, under the model's name."""
    found = rows(model)

    assert [(task, model) for task in range(1, 25) for _ in range(10)] == [
        (row["task_id"], row["model"]) for row in found
    ]
    assert {tuple(row) for row in found} == {("task_id", "completion", "finish_reason", "model")}


@pytest.mark.parametrize("model", MODELS)
def test_only_cut_off_answers_say_length(model):
    """finish_reason is "length" exactly for the answers that were cut."""
    cut = {answer.finish_reason for answer in written(model) if answer.kind == "cut off"}
    whole = {answer.finish_reason for answer in written(model) if answer.kind != "cut off"}

    assert (cut, whole) == ({"length"}, {"stop"})


@pytest.mark.parametrize("model", MODELS)
def test_the_readme_counts_the_kinds(model):
    """The table of kinds in the folder's README is the builder's own count."""
    section = FOLDER.joinpath("README.md").read_text("utf-8").split(f"## {model}\n")[1].split("\n## ")[0]
    table = Counter({kind: int(count) for kind, count in re.findall(r"^\| (.+) \| (\d+) \|$", section, re.M)})

    assert table == kinds(model)


def test_the_models_differ_in_merit():
    """Strong is mostly right, weak mostly not, and the cheater is honest half of the time."""
    right = {model: kinds(model)["right"] for model in MODELS}
    cheats = sum(count for kind, count in kinds("demo-cheater").items() if kind in CHEATS)

    assert (right["demo-strong"] > 190, right["demo-weak"] < 70, cheats) == (True, True, 120)


def test_strong_answers_come_in_every_shape():
    """Each shape is used for at least three right answers."""
    used = Counter(
        SHAPES[(5 * task.number + 3 * sample) % len(SHAPES)].__name__
        for task in TEXTS
        for sample, letter in enumerate(strong.PLAN.split()[task.number - 1])
        if letter == "R"
    )

    assert {shape.__name__ for shape in SHAPES} == {name for name, count in used.items() if count >= 3}


def test_strong_answers_are_all_different():
    """No two answers of the strong model to one task are the same text."""
    texts = Counter((row["task_id"], row["completion"]) for row in rows("demo-strong"))

    assert set(texts.values()) == {1}


def test_known_solutions_are_programs():
    """Every way and slip, as a whole function, parses and defines the entry point."""
    programs = [(task, function(task, code)) for task in TEXTS for code in (*task.ways, *task.slips)]
    wrong = [task.name for task, text in programs if ast.parse(text).body[0].name != task.name]

    assert wrong == []


def test_broken_syntax_does_not_parse():
    """What is meant as broken syntax is broken."""
    parsed = []
    for answer in written("demo-weak"):
        if answer.kind == "broken syntax":
            try:
                parsed.append(ast.dump(ast.parse(answer.text)))
            except SyntaxError:
                continue

    assert parsed == []


def test_every_kind_of_cheat_meets_five_tasks():
    """24 kinds, five answers each, never twice on one task."""
    by_task = [[answer.kind for answer in cheater.answers(task) if answer.kind in CHEATS] for task in TEXTS]
    total = Counter(kind for kinds_of_task in by_task for kind in kinds_of_task)

    assert (len(total), set(total.values())) == (24, {5})
    assert all(len(set(kinds_of_task)) == 5 for kinds_of_task in by_task)


def test_the_search_of_live_objects_looks_for_records_that_exist():
    """By its name and by a field that it has today: a search for what is no more would stop nothing."""
    records = {each.__name__: each for each in (Task, BatchSpec)}
    text = next(answer.text for answer in written("demo-cheater") if answer.kind == "search of live objects")
    names = re.findall(r'"(\w+)"', text.partition("__name__ in ")[2].partition("\n")[0])
    fields = set(re.findall(r'getattr\(thing, "(\w+)"', text))

    assert [fields & set(records[name].__struct_fields__) for name in names] == [{"outputs"}, {"expected"}]


def test_every_cheat_is_a_complete_program():
    """A cheat parses and defines the entry point, so it is stopped for what it does, not for a typo."""
    broken = []
    for task in TEXTS:
        for answer in cheater.answers(task):
            if answer.kind in CHEATS:
                code = (
                    answer.text.partition("```python\n")[2].removesuffix("\n").removesuffix("```")
                    or answer.text
                )
                names = {node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
                broken += [] if task.name in names and "$" not in code else [(task.name, answer.kind)]

    assert broken == []


def test_cheats_touch_no_other_address():
    """No address but 127.0.0.1 and no host name or URL stands in any answer."""
    text = "\n".join(answer.text for model in MODELS for answer in written(model))
    addresses = set(re.findall(r"\b\d{1,3}(?:\.\d{1,3}){3}\b", text))

    assert (addresses, re.findall(r"https?://|\.com\b|\.org\b|\.ru\b", text)) == ({"127.0.0.1"}, [])


def test_cheats_wait_only_for_a_moment():
    """Sleeps and time-outs in the cheats are three seconds at most."""
    text = "\n".join(answer.text for answer in written("demo-cheater"))
    waits = [float(number) for number in re.findall(r"(?:sleep\(|timeout=)([\d.]+)", text)]

    assert 0 < max(waits) <= 3


def test_programs_that_cost_a_limit_are_few():
    """At most four endless loops and one memory hog in all three files: each costs its whole limit."""
    total = kinds("demo-strong") + kinds("demo-weak") + kinds("demo-cheater")

    assert (total["endless loop"] <= 4, total["memory hog"]) == (True, 1)


def test_plans_have_a_row_for_each_task():
    """24 rows of ten letters, each letter known."""
    plans = {"strong": strong.PLAN.split(), "weak": weak.PLAN.split()}
    shapes = {name: {len(row) for row in plan} for name, plan in plans.items()}

    assert (shapes, len(plans["strong"]), len(plans["weak"])) == ({"strong": {10}, "weak": {10}}, 24, 24)
    assert set("".join(plans["weak"])) == {"R", "1", "2", "L", *weak.BROKEN}

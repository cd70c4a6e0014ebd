"""`benchwright compare`: which of two runs is better, in words that are right."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchwright.records import TaskId
from demo_source.make import MODELS
from demo_source.text import task_texts
from kit.command_line import CONTROL, benchwright, called, inside
from kit.small_runs import rights, run_folder

STRONG = [9, 10, 8, 10, 9, 7, 10, 9, 10, 8] * 3
WEAK = [2, 5, 1, 4, 3, 0, 6, 2, 3, 1] * 3


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two finished runs of thirty tasks, one of a far better model."""
    return (
        run_folder(tmp_path / "strong", rights(STRONG, 10), model="openai:strong", ks=(1, 10)),
        run_folder(tmp_path / "weak", rights(WEAK, 10), model="openai:weak", ks=(1, 10)),
    )


def test_the_sentence_comes_first(runs: tuple[Path, Path]) -> None:
    """What people read goes to stderr, and begins with the answer."""
    said = benchwright("compare", *runs)

    assert (
        said.code,
        said.out,
        said.err.startswith("strong passes more than weak: +63.0 points of pass@1"),
    ) == (
        0,
        "",
        True,
    )


def test_json_is_one_document_with_everything(runs: tuple[Path, Path]) -> None:
    """Every key is there, and all tasks that differ are in it."""
    found = called("compare", *runs, "--json").document
    keys = [
        "metric",
        "confidence",
        "a",
        "b",
        "difference",
        "grouping",
        "separated",
        "decided_by",
        "better",
        "changes",
        "notes",
        "sentence",
    ]

    assert (list(found), found["better"], len(found["changes"]), found["difference"]["mcnemar"]) == (
        keys,
        "strong",
        30,
        None,
    )


def test_only_twenty_tasks_are_listed(runs: tuple[Path, Path]) -> None:
    """The others are counted, with the option that lists them."""
    lines = inside("compare", *runs).stderr.splitlines()
    listed = [line for line in lines if line.strip().startswith("Small/")]

    assert (len(listed), "10 tasks more: use --all" in lines) == (20, True)


def test_all_lists_every_task(runs: tuple[Path, Path]) -> None:
    """--all leaves none out."""
    lines = inside("compare", *runs, "--all").stderr.splitlines()

    assert sum(line.strip().startswith("Small/") for line in lines) == 30


def test_another_metric(runs: tuple[Path, Path]) -> None:
    """pass@10 of ten answers is yes or no a task, so McNemar's exact test is given beside."""
    lines = inside("compare", *runs, "--metric", "pass@10").stderr

    assert "McNemar's exact test: p = 0.25 (the interval and its p decide)" in lines


def test_one_answer_a_task_gives_two_lists(tmp_path: Path) -> None:
    """Which tasks only one of the two solved; a table of +100.0 would say less in more lines."""
    a, b = [1] * 25 + [0] * 3 + [1] * 5, [0] * 25 + [1] * 3 + [1] * 5
    runs = [
        run_folder(tmp_path / name, rights(row, 1), model=f"openai:{name}", ks=(1,))
        for name, row in (("strong", a), ("weak", b))
    ]
    lines = inside("compare", *runs).stderr.splitlines()
    strong, weak = (
        next(line for line in lines if f"solved by {name} only" in line) for name in ("strong", "weak")
    )
    whole = inside("compare", *runs, "--all").stderr

    assert weak.strip() == "solved by weak only, 3 tasks: Small/25, Small/26, Small/27"
    assert (strong.count("Small/"), "25 tasks: Small/0, Small/1" in strong) == (20, True)
    assert ("5 tasks more: use --all" in lines, whole.count("Small/"), "+100" in whole) == (True, 28, False)


def test_an_unknown_metric(runs: tuple[Path, Path]) -> None:
    """Exit code 2, and the metrics there are."""
    said = called("compare", *runs, "--metric", "pass@7")

    assert (said.code, said.err.splitlines()) == (
        2,
        [
            "error: not all of these runs have pass@7: strong has pass@1, pass@10; weak has pass@1, pass@10",
            "hint: --metric pass@1",
        ],
    )


def test_runs_that_cannot_be_compared(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """Exit code 1, and each field that differs with both values; no figure is printed."""
    other = run_folder(
        tmp_path / "other", rights(WEAK, 10), identity={"profile": "mera-code", "data": "e" * 64}
    )
    said = called("compare", runs[0], other, "--json")

    assert (said.code, said.out, "points" in said.err, said.err.splitlines()[0]) == (
        1,
        "",
        False,
        "error: these runs cannot be compared: `data` differs (strong: dddddddddddd…; some-model: eeeeeeeeeeee…); "
        "`profile` differs (strong: strict; some-model: mera-code)",
    )


def test_other_prompts_need_a_word(tmp_path: Path) -> None:
    """Refused with the flag that allows it; with the flag, compared with a note."""
    prompts = [
        {"prompts": {"design": design, "language": "ru", "form": "chat"}} for design in ("spread", "row")
    ]
    a, b = (run_folder(tmp_path / f"r{i}", rights(WEAK, 10), identity=each) for i, each in enumerate(prompts))
    refused, allowed = inside("compare", a, b), inside("compare", a, b, "--allow", "prompts")

    assert (refused.exit_code, allowed.exit_code, "note: `prompts` differs" in allowed.stderr) == (1, 0, True)


def test_a_run_that_is_not_finished(runs: tuple[Path, Path]) -> None:
    """Exit code 1, and what to do."""
    (runs[1] / "scores.json").unlink()
    said = called("compare", *runs)

    assert (said.code, "is not finished" in said.err, "hint: run its command again" in said.err) == (
        1,
        True,
        True,
    )


def test_without_the_extra(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """Where scipy is not installed: exit code 3 and the install command."""
    (tmp_path / "block").mkdir()
    (tmp_path / "block" / "scipy.py").write_text("raise ImportError('No module named scipy')\n")
    said = benchwright("compare", *runs, PYTHONPATH=str(tmp_path / "block"))

    assert (said.code, said.err.splitlines()[-1]) == (3, "hint: pip install 'benchwright[compare]'")


def test_hostile_names_do_not_act(tmp_path: Path) -> None:
    """Task ids and models with escapes and markup are shown, never obeyed."""
    evil = "\x1b]0;x\x07[bold]\x1b[2J"
    outcomes = {f"{evil}{number}": ["passed"] for number in range(3)}
    others = {task: ["wrong"] for task in outcomes}
    a = run_folder(tmp_path / "a", outcomes, model=f"openai:{evil}")
    b = run_folder(tmp_path / "b", others, model="openai:b")
    said = called("compare", a, b)

    assert (said.code, CONTROL.search(said.err), "[bold]" in said.err) == (0, None, True)


def test_help_has_examples() -> None:
    """They can be pasted."""
    assert "benchwright compare runs/mine runs/theirs --json" in inside("compare", "--help").output


@pytest.fixture(scope="module")
def demo_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The demo's strong model, and its weak model's ten answers a task as two runs of five.

    Nothing is executed: the sources of the demo say which answers are right, and `test_cli_demo.py` executes them.
    """
    folder = tmp_path_factory.mktemp("demo")
    weak = _outcomes("demo-weak")
    outcomes = {
        "weak-odd": {task: ends[::2] for task, ends in weak.items()},
        "weak-even": {task: ends[1::2] for task, ends in weak.items()},
        "demo-strong": _outcomes("demo-strong"),
    }
    return {
        name: run_folder(folder / name, ends, model=f"replay:{name}.jsonl") for name, ends in outcomes.items()
    }


def _outcomes(model: str) -> dict[TaskId, list[str]]:
    """Outcomes of the answers of a demo model, by task: those written as right pass, all others count as wrong.

    Executed, three answers of the weak model that were written as something else pass as well.
    """
    return {
        task.number: ["passed" if answer.kind == "right" else "wrong" for answer in MODELS[model](task)]
        for task in task_texts()
    }


def test_two_stored_models_that_differ_by_noise_are_not_separated(demo_runs: dict[str, Path]) -> None:
    """The same weak model twice: the sentence claims nothing and says what could have been found."""
    found = called("compare", demo_runs["weak-odd"], demo_runs["weak-even"], "--json").document
    shape = (
        r"Not established which of weak-odd and weak-even passes more: the difference is [+−]?[\d.]+ points of "
        r"pass@1, and the interval −[\d.]+ to \+[\d.]+ includes zero \(24 tasks, p = 0\.\d+\)\. These tasks cannot "
        r"reliably detect a difference under about \d+ points\."
    )

    assert (found["separated"], bool(re.fullmatch(shape, found["sentence"]))) == (False, True)


@pytest.mark.parametrize("half", ["weak-odd", "weak-even"])
def test_a_stored_model_that_is_truly_better_is_separated(demo_runs: dict[str, Path], half: str) -> None:
    """The strong model is said to pass more, with a lead of forty points at the least."""
    found = called("compare", demo_runs[half], demo_runs["demo-strong"], "--json").document
    start = f"demo-strong passes more than {half}: +6"

    assert (found["better"], found["sentence"].startswith(start), found["difference"]["high"] < -0.4) == (
        "demo-strong",
        True,
        True,
    )


def test_ranking_the_stored_models(demo_runs: dict[str, Path]) -> None:
    """The strong one has the first place to itself, the two halves share the others."""
    found = json.loads(inside("rank", *demo_runs.values(), "--json").stdout)
    places = [(place["best"], place["worst"]) for place in found["places"]]

    assert (places, found["sentence"].startswith("Separated: demo-strong above weak-")) == (
        [(1, 1), (2, 3), (2, 3)],
        True,
    )

"""Scores in a terminal, of programs and of labels: figures, baselines, groups, profiles that differ, sentences."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from benchwright.cli.arguments import score_document
from benchwright.cli.scores import print_score, score_lines
from benchwright.errors import command_name
from benchwright.records import Metric, Score, SelfCheck
from kit.command_line import CONTROL, inside
from kit.small_labels import STRONG, WEAK, label_answers, label_rows, label_run

pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Path:
    """The folder of two runs, "strong" and "weak"."""
    folder = tmp_path_factory.mktemp("labels")
    for name, styles in (("strong", STRONG), ("weak", WEAK)):
        label_run(folder, name, styles)
    return folder / "runs"


def _score(runs: Path, name: str, **changed: Any) -> Score:
    score = msgspec.json.decode((runs / name / "scores.json").read_bytes(), type=Score)
    return msgspec.structs.replace(score, **changed)


def _printed(score: Score, width: int = 80) -> str:
    target = Console(file=StringIO(), width=width, highlight=False, emoji=False)
    print_score(target, score)
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def test_both_profiles_are_judged_without_asking(tmp_path: Path) -> None:
    """`run codecorrectness` judges labels by all its profiles, since that costs nothing."""
    data, stored = label_rows(tmp_path), label_answers(tmp_path, "strong", STRONG)
    said = inside(
        *("run", "codecorrectness", "--data", data, "--model", f"replay:{stored}"),
        *("--out", tmp_path / "run", "--json", "--workers", 1),
    )
    score = json.loads(said.stdout)

    assert (said.exit_code, score["profile"], list(score["other_profiles"])) == (0, "strict", ["mera-exact"])
    assert (
        score["metrics"]["exact_match"]["value"]
        > score["other_profiles"]["mera-exact"]["exact_match"]["value"]
    )
    assert score["details"]["baselines"]["majority"]["label"] == "failed"


def test_the_score_stands_beside_its_baselines(runs: Path) -> None:
    """Every metric, both profiles where they differ, and the majority; nothing is wider than a terminal."""
    shown = _printed(_score(runs, "strong"))
    names = [line.split("  ")[0].strip() for line in shown.splitlines()]
    wanted = ["exact match", "balanced accuracy", "MCC", "macro-F1", "no label"]

    assert [name for name in wanted if name in names] == wanted
    assert [word in shown for word in ("strict", "mera-exact", "always failed", "language Go")] == [True] * 4
    table = shown.partition("answers by true label")[0].splitlines()
    assert max(len(line) for line in table if "interval" not in line) <= 80


def test_confusion_and_groups_are_compact(runs: Path) -> None:
    """The table of what was said adds up, and languages and subsets have their figures."""
    lines = _printed(_score(runs, "weak")).splitlines()
    rows = [line.split() for line in lines if line.strip().startswith(("success ", "failed "))]

    assert (sum(int(cell) for row in rows for cell in row[1:]), len(rows)) == (12, 2)
    assert [
        any(line.strip().startswith(name) for line in lines) for name in ("language Java", "subset mut")
    ] == [
        True,
        True,
    ]


def test_a_model_no_better_than_the_majority_is_told(runs: Path) -> None:
    """In a plain sentence right under the figures; a model that is better gets none."""
    weak, strong = (" ".join(_printed(_score(runs, name)).split()) for name in ("weak", "strong"))

    assert ["than always saying failed, 50.0 %" in said for said in (weak, strong)] == [True, False]
    assert ["MCC's interval holds 0" in said for said in (weak, strong)] == [True, False]


def test_profiles_that_agree_are_one_column(runs: Path) -> None:
    """The other one is named under the table."""
    score = _score(runs, "strong")
    shown = _printed(msgspec.structs.replace(score, other_profiles={"mera-exact": score.metrics}))

    assert "all metrics are equal by mera-exact" in shown
    assert "mera-exact" not in shown.partition("exact match")[0]


def test_hostile_names_of_groups_do_nothing(runs: Path) -> None:
    """A tag or a prompt's name comes from a file that anyone may have written."""
    score = _score(runs, "strong")
    group = score.details["groups"]["language"]["Go"]
    named = {"[red]x\x1b[2J[/red]": group}
    groups = {**score.details["groups"], "tag": named, "prompt": {**named, "ru-01": group}}
    shown = _printed(msgspec.structs.replace(score, details={**score.details, "groups": groups}), width=200)

    assert (CONTROL.findall(shown), shown.count(r"[red]x\x1b[2J[/red]")) == ([], 2)


def test_details_are_in_the_document(runs: Path) -> None:
    """As the run stored them."""
    assert score_document(_score(runs, "strong"))["details"]["confusion"]["failed"]["failed"] == 4


def test_show_has_the_label_said_and_the_one_expected(runs: Path) -> None:
    """And the text it was read from, with the rule, in place of a program; no times of an execution."""
    shown = inside("show", runs / "strong", 2).stdout
    answer = json.loads(inside("show", runs / "strong", 6, "--json").stdout)["answers"][0]

    assert [
        line in shown for line in ("said: failed\n", "expected: failed\n", "extraction rule: tolerant+")
    ] == [True] * 3
    assert ("processor" in shown, shown.rstrip().endswith("The test will not pass on this code.")) == (
        False,
        True,
    )
    assert (answer["program"], answer["expected"]) == ("success", "failed")


def test_rows_on_which_the_profiles_differ_are_listed(runs: Path) -> None:
    """With how each profile has it; every prose answer is one."""
    found = json.loads(inside("show", runs / "strong", "--differ", "--json").stdout)

    assert [row["task_id"] for row in found["differences"]] == [2, 5, 8, 11]
    assert found["differences"][0]["outcomes"] == {"strict": "passed", "mera-exact": "unparsable"}


def test_compare_reports_what_it_does_not_test(runs: Path) -> None:
    """One sentence for the test, and a line for each further metric; in the JSON they are `others`."""
    shown = inside("compare", runs / "strong", runs / "weak").stderr
    sides = json.loads(inside("compare", runs / "strong", runs / "weak", "--json").stdout)

    assert ("strong is right more often than weak" in shown, "MCC, not tested: strong" in shown) == (
        True,
        True,
    )
    assert sorted(sides["a"]["others"]) == ["balanced_accuracy", "invalid", "macro_f1", "mcc"]


def test_rank_has_further_columns(runs: Path) -> None:
    """MCC and balanced accuracy stand beside the metric that is ranked by."""
    shown = " ".join(inside("rank", runs / "strong", runs / "weak").stderr.split())

    assert ["exact match" in shown, shown.count("not"), "MCC" in shown] == [True, 3, True]


def test_a_submission_to_mera(runs: Path, tmp_path: Path) -> None:
    """The first answer's text to each task; the checker gives the score that the profile mera-exact has."""
    out = tmp_path / "labels.zip"
    written = inside("export", "mera", runs / "strong", "--out", out)
    checked = inside(
        *("check-submission", out, "--gold", runs.parent / "labels.jsonl"),
        *("--task", "CodeCorrectness", "--json"),
    )
    scores = json.loads(checked.stdout)["task_sets"][0]["scores"]
    exact = _score(runs, "strong").other_profiles["mera-exact"]["exact_match"].value

    assert (written.exit_code, checked.exit_code) == (0, 0)
    assert scores["harness"]["metrics"] == {"acc": pytest.approx(exact)}


CHECK = SelfCheck(gold_passed=2, gold_total=2, stub_passed=0, stub_total=2)


HALF = Metric(value=0.5, low=0.25, high=0.75, n=2, samples=2)


def _of_programs(**changed: object) -> Score:
    fields: dict[str, object] = {
        "run": "runs/a",
        "track": "humaneval",
        "model": "replay:/far/away/answers.jsonl",
        "profile": "strict",
        "metrics": {"pass@1": HALF},
        "outcomes": {"wrong": 1, "passed": 2, "timed_out": 1},
        "self_check": CHECK,
        "answers": 4,
    }
    return Score(**{**fields, **changed})


def _console(*, terminal: bool = False, width: int = 100) -> Console:
    return Console(file=StringIO(), force_terminal=terminal, width=width, highlight=False, emoji=False)


def _written(target: Console) -> str:
    assert isinstance(target.file, StringIO)
    return target.file.getvalue()


def test_score_table() -> None:
    """The table has the model without its folders and each metric with its interval, in per cent."""
    target = _console()
    print_score(target, _of_programs())
    lines = _written(target).splitlines()
    title = "humaneval · profile strict · 95 % intervals over tasks"  # folded where the table is narrow

    assert " ".join(_written(target).split()).startswith(title)
    assert any("replay:answers.jsonl" in line and "50.0 % 25.0–75.0" in line for line in lines)


def test_score_lines() -> None:
    """Outcomes are told in one fixed order, and the way to the answers is a command to paste."""
    lines = score_lines(_of_programs(notes=["[bold]two[/] answers\x07"]))

    assert lines == [
        "4 answers: 2 passed · 1 wrong · 1 timed out",
        "self-check: gold passed 2 of 2, stub passed 0 of 2",
        "2 tasks; to read the answers: benchwright show runs/a",
        r"note: \[bold]two\[/] answers\x07",
    ]


FACTS = {
    "identical": ({"identical": 2}, "2 answers with the text of an earlier one to the same question"),
    "truncated": ({"truncated": 1234}, "1,234 answers truncated"),
    "tokens": ({"tokens_in": 31000, "tokens_out": 5}, "31,000 tokens in, 5 out"),
    "prompts": (
        {"prompts": {"ru-01": {"pass@1": HALF}, "[b]": {"pass@1": HALF}}},
        r"pass@1 by prompt: ru-01 50.0 % · \[b] 50.0 %",
    ),
}


@pytest.mark.parametrize("name", FACTS)
def test_further_facts_have_a_line_where_there_is_something_to_say(name: str) -> None:
    """Each a line of its own below the others; a run without them has none."""
    changed, line = FACTS[name]
    before, after = score_lines(_of_programs()), score_lines(_of_programs(**changed))

    assert ([new for new in after if new not in before], len(before)) == ([line], 3)


def test_one_prompt_is_no_comparison() -> None:
    """A line of one prompt would say what the table says."""
    assert score_lines(_of_programs(prompts={"ru-01": {"pass@1": HALF}, "ru-02": {}})) == score_lines(
        _of_programs()
    )


def test_other_profiles_have_their_own_rows() -> None:
    """A further profile stands under the model, and a metric that it lacks is a dash."""
    target = _console()
    other = {"mera-code": {"pass@5": HALF}}
    print_score(target, _of_programs(metrics={"pass@1": HALF, "pass@5": HALF}, other_profiles=other))
    row = next(line for line in _written(target).splitlines() if "by mera-code" in line)
    cells = re.split(r"\s{2,}", row.strip())

    assert cells == ["by mera-code", "–", "50.0 % 25.0–75.0"]
    assert "show runs/a --differ" in _written(target)


@pytest.mark.parametrize("width", [24, 40, 60, 80, 100, 200])
def test_a_narrow_terminal_shows_every_figure(width: int) -> None:
    """An interval goes below its figure, then a metric has a line of its own; nothing is folded or cut."""
    target = _console(width=width)
    metrics = {"pass@1": HALF, "pass@5": HALF, "pass@10": HALF}
    print_score(target, _of_programs(metrics=metrics))
    text = _written(target)

    assert "replay:answers.jsonl" in text
    assert (text.count("50.0 %"), text.count("25.0–75.0")) == (3, 3)


def test_command_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages name the command that the user typed."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")

    assert (command_name(), score_lines(_of_programs())[2].endswith("./run benchwright show runs/a")) == (
        "./run benchwright",
        True,
    )

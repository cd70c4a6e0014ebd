"""A run of labels on the command line: scores beside baselines, profiles that differ, answers, submissions."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from benchwright.cli.labels import is_of_labels, print_labels
from benchwright.cli.run import document
from benchwright.records import Score
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
    print_labels(target, score)
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

    assert "by mera-exact all metrics are the same" in shown
    assert "mera-exact" not in shown.partition("exact match")[0]


def test_hostile_names_of_groups_do_nothing(runs: Path) -> None:
    """A tag or a prompt's name comes from a file that anyone may have written."""
    score = _score(runs, "strong")
    group = score.details["groups"]["language"]["Go"]
    named = {"[red]x\x1b[2J[/red]": group}
    groups = {**score.details["groups"], "tag": named, "prompt": {**named, "ru-01": group}}
    shown = _printed(msgspec.structs.replace(score, details={**score.details, "groups": groups}), width=200)

    assert (CONTROL.findall(shown), shown.count(r"[red]x\x1b[2J[/red]")) == ([], 2)


def test_a_score_of_programs_is_none_of_labels(runs: Path) -> None:
    """What tells is the table of labels in its details."""
    score = _score(runs, "strong")

    assert (is_of_labels(score), is_of_labels(msgspec.structs.replace(score, details={}))) == (True, False)
    assert document(score)["details"]["confusion"]["failed"]["failed"] == 4


def test_show_has_the_label_said_and_the_one_expected(runs: Path) -> None:
    """And the text it was read from, with the rule, in place of a program; no times of an execution."""
    shown = inside("show", runs / "strong", 2).stdout
    answer = json.loads(inside("show", runs / "strong", 6, "--json").stdout)["answers"][0]

    assert [
        line in shown for line in ("said: failed\n", "expected: failed\n", "taken by rule: tolerant+")
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

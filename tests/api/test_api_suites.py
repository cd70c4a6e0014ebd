"""`bw.suite`, and how results are shown: text and HTML with intervals, escaped."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Any

import pytest

import benchwright as bw
from benchwright.api.arguments import command_arguments
from benchwright.api.suites import COMMAND, _headline
from kit.small_data import CHEAP, answers, humaneval, humaneval_row, write
from kit.small_labels import label_run

TERMINAL = {
    "json",
    "quiet",
    "summary",
    "schema",
    "dry_run",
    "trust_cluster",
}  # what these options do is for a terminal


def small_suite(folder: Path, **more: Any) -> dict[str, Any]:
    """A suite of the gold answers and of stored answers, each on one track."""
    stored = answers(folder, outcomes=CHEAP)
    models = [{"model": "gold:", "name": "gold"}, {"model": f"replay:{stored}", "name": "<b>mine"}]
    tracks = [{"track": "humaneval", "data": humaneval(folder)}]
    return {"models": models, "tracks": tracks, "defaults": {"self_check": "kept", "workers": 1}, **more}


def test_each_option_of_suite_is_an_argument() -> None:
    """The signature and the command cannot drift apart."""
    shape = signature(bw.suite).parameters
    names = {each.name for each in command_arguments(COMMAND).values()} - TERMINAL

    assert names == set(shape) - {"file"}
    assert {name: shape[name].default for name in names} == {
        "only": None,
        "out": None,
        "report": True,
        "on": "local",
    }


@pytest.mark.usefixtures("jail")
def test_a_suite_from_a_mapping_gives_runs_thresholds_and_a_report(tmp_path: Path) -> None:
    """A missed threshold is data, not an error; the texts carry intervals, and names are escaped."""
    bound = {"measure": "pass@1", "value": 0.9, "by": "value"}
    results = bw.suite(small_suite(tmp_path, fail_under=[bound]), out=tmp_path / "runs")
    again = bw.suite(small_suite(tmp_path), out=tmp_path / "runs", only="*/gold", report=False)

    assert [run.scores["pass@1"].value for run in results.runs.values()] == pytest.approx([1.0, 0.2])
    assert [check.holds for check in results.checks] == [True, False]
    assert (results.passed, results.failures, again.passed, again.page) == (False, {}, True, None)
    assert results.page is not None and results.page.is_file()
    assert list(again.runs) == ["humaneval/gold"]
    assert "humaneval/gold: pass@1 1.0000 (" in str(results) and "3 tasks" in str(results)
    shown = results._repr_html_()
    assert "&lt;b&gt;mine" in shown and "<b>mine" not in shown and "<script" not in shown


def test_a_run_is_listed_with_the_first_metric_of_its_track(tmp_path: Path) -> None:
    """Not with the first or last name that its scores have."""
    run = bw.open_run(label_run(tmp_path, "some", [("plain", True)] * 3))

    assert len(run.metrics) > 1
    assert _headline(run) == ("exact_match", run.metrics["exact_match"])


@pytest.mark.usefixtures("jail")
def test_a_run_that_fails_is_listed_with_its_error(tmp_path: Path) -> None:
    """The other runs have their scores; nothing is raised."""
    suite = small_suite(tmp_path)
    broken = write(tmp_path / "broken.jsonl", [humaneval_row(0, canonical_solution="    return None\n")])
    suite["tracks"].append({"track": "humaneval", "name": "broken", "data": broken})
    results = bw.suite(suite, out=tmp_path / "runs", only="*/gold", report=False)

    assert (results.passed, list(results.runs), list(results.failures)) == (
        False,
        ["humaneval/gold"],
        ["broken/gold"],
    )
    assert isinstance(results.failures["broken/gold"], bw.SelfCheckError)
    assert "broken/gold: failed:" in str(results)


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"modls": []}, "unknown key 'modls'", "models"),
    ({"defaults": {"temprature": 1}}, "unknown key 'temprature'", "temperature"),
    ({"defaults": {"cpu_limit": 0}}, "cpu_limit", "cpu_limit"),
    ({"fail_under": [{"measure": "pass@9", "value": 0.5}]}, "no figure 'pass@9'", "pass@1"),
    ({"fail_under": [{"measure": "pass@1", "value": 50}]}, "must be between 0 and 1", "0.6"),
]


@pytest.mark.parametrize(("wrong", "message", "hint"), WRONG, ids=[str(each[0]) for each in WRONG])
def test_an_invalid_suite_names_the_key(
    tmp_path: Path, wrong: dict[str, Any], message: str, hint: str
) -> None:
    """Neither message nor hint contains an option of the command line."""
    with pytest.raises(bw.UsageError) as caught:
        bw.suite(small_suite(tmp_path, **wrong), out=tmp_path / "runs")

    assert message in caught.value.message
    assert hint in str(caught.value)
    assert "--" not in caught.value.message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"file": 3}, "file: must be a path or a mapping"),
        ({"file": "no.toml"}, "cannot read no.toml"),
        ({"file": {}, "only": 3}, "only=3: must be"),
        ({"file": {}, "repor": False}, "unknown argument: repor="),
    ],
)
def test_a_wrong_argument_of_suite_is_named(given: dict[str, Any], message: str) -> None:
    """Each error says which argument is wrong."""
    with pytest.raises(bw.UsageError, match=message):
        bw.suite(**given)


@pytest.mark.usefixtures("jail")
def test_comparisons_and_standings_show_intervals(tmp_path: Path) -> None:
    """Their HTML has a table with n and both ends of the interval, and no script."""
    results = bw.suite(small_suite(tmp_path), out=tmp_path / "runs", report=False)
    gold, mine = results.runs.values()
    for found in (bw.compare(gold, mine), bw.rank([gold, mine])):
        shown = found._repr_html_()
        assert all(f"<th scope='col'>{title}</th>" in shown for title in ("low", "high", "tasks"))
        assert "<script" not in shown
        assert found.sentence in str(found)

"""`bw.run` and what it returns: the options of the command, errors that name arguments, tables of answers."""

from __future__ import annotations

from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

import benchwright as bw
from benchwright.api.arguments import command_arguments
from benchwright.api.running import COMMAND
from benchwright.cli.run import command
from kit.needs import need_module
from kit.small_data import CHEAP, answers, humaneval

TERMINAL = {"json", "quiet", "summary", "trust_cluster"}  # what these options do is for a terminal
FROM_ENVIRONMENT = {"cache": True, "self_check": "kept"}  # None in Python: read from the environment first


def test_each_option_of_run_is_an_argument_with_its_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """The signature and the command cannot drift apart."""
    for name in ("BENCHWRIGHT_NO_CACHE", "BENCHWRIGHT_SELF_CHECK"):
        monkeypatch.delenv(name, raising=False)
    shape = signature(bw.run).parameters
    options = {each.name: each for each in command_arguments(COMMAND).values()}

    assert set(options) - TERMINAL == set(shape) - {"track"}
    for name in set(options) - TERMINAL:
        option = options[name].option
        declared = command.make_context("run", ["own", "--data=d", "--model=m"]).params[option.name]
        default = (not declared) if options[name].negated else declared
        given = FROM_ENVIRONMENT.get(name, shape[name].default)
        assert given == default or (
            given in (None, Parameter.empty) and default in (None, (), ("m",), "d")
        ), name


WRONG: list[tuple[dict[str, Any], str, str]] = [
    ({"temprature": 1}, "unknown argument: temprature=", "temperature"),
    ({"temperature": -1}, "temperature=-1: must be", "temperature=0.6"),
    ({"temperature": "hot"}, "temperature='hot': must be a number", "Sampling"),
    ({"n": 0}, "n=0: at least 1 answer", "n=1"),
    ({"ks": 3}, "unknown argument: ks=", "k="),
    ({"form": "cals"}, "form='cals': unknown value", "calls"),
    ({"rounds": 3}, "rounds=3: rounds= needs an agent", 'agent="repair"'),
    ({"price_in": 1.0}, "price_out= is missing", "price_out=0"),
    ({"tasks": "5/2"}, 'tasks="5/2": the share', 'tasks="1/2"'),
    ({"cpu_limit": 0}, "cpu_limit=0: must be at least 0.05", "cpu_limit=0.05"),
    ({"weights": {"a": 1}}, "weights: answers to humaneval", "leave weights= out"),
]


@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("wrong", "message", "hint"), WRONG, ids=[str(each[0]) for each in WRONG])
def test_an_error_names_the_argument(tmp_path: Path, wrong: dict[str, Any], message: str, hint: str) -> None:
    """Neither message nor hint contains an option of the command line."""
    given: dict[str, Any] = {"data": humaneval(tmp_path), "model": "gold:", **wrong}
    with pytest.raises(bw.UsageError) as caught:
        bw.run("humaneval", out=tmp_path / "run", **given)

    assert message in caught.value.message
    assert hint in str(caught.value.hint)
    assert "--" not in str(caught.value)


@pytest.mark.usefixtures("jail")
def test_a_run_is_read_as_scores_rows_and_tables(tmp_path: Path) -> None:
    """Scores carry intervals; a table has one row for each answer; failures are those that did not pass."""
    data, stored = humaneval(tmp_path), answers(tmp_path, outcomes=CHEAP)
    run = bw.run("humaneval", data=data, model=f"replay:{stored}", out=tmp_path / "run")
    again = bw.open_run(tmp_path / "run")

    assert (again.scores["pass@1"], run.scores["pass@1"].n) == (run.scores["pass@1"], 3)
    assert sum(run.scores.outcomes.values()) == len(list(run.answers)) == len(list(run.verdicts)) == 15
    assert {row.outcome for row in run.failures()} == set(CHEAP) - {"passed"}
    assert "<table>" in run._repr_html_()
    with pytest.raises(KeyError, match="pass@7"):
        _ = run.scores["pass@7"]
    assert need_module("polars") and run.to_polars().shape[0] == 15
    assert need_module("pyarrow") and run.to_arrow(failures=True).num_rows == 12
    frame = need_module("pandas") and run.to_pandas()
    assert (int(frame["passed"].sum()), len(frame)) == (3, 15)


@pytest.mark.usefixtures("jail")
def test_own_tasks_are_read_from_a_csv_by_a_field_map(tmp_path: Path) -> None:
    """`columns` and `values` are --map and --set; a prompt file gives the text; errors name the arguments."""
    data = tmp_path / "rows.csv"
    data.write_text("question,right\n2 even: yes or no?,yes\n3 even: yes or no?,no\n")
    (tmp_path / "short.txt").write_text("{prompt}\nOne word.\n")
    columns = {"question": "prompt", "right": "label"}
    given: dict[str, Any] = {"data": data, "model": "gold:", "columns": columns}

    run = bw.run(
        "own", **given, values={"labels": "yes|no"}, out=tmp_path / "a", prompt=tmp_path / "short.txt"
    )
    listed = bw.run("own", **given, values={"labels": ["yes", "no"]}, out=tmp_path / "b")

    assert (run.scores["pass@1"].value, run.scores["pass@1"].n) == (1.0, 2)
    assert [task.outputs for task in listed.tasks] == ["yes", "no"]
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"columns": {"quest": "prompt"}}, "columns: the data set has no column 'quest'"),
        ({"columns": {"question": "promt"}}, "own tasks have no field 'promt'"),
        ({"values": "labels=yes"}, "values='labels=yes': must be a mapping"),
        ({"prompt": ["a.txt", "b.txt"]}, "prompt: one run has one prompt"),
        ({"prompt": tmp_path / "none.txt"}, "cannot be read"),
    ]
    for change, message in wrong:
        with pytest.raises(bw.BenchwrightError) as caught:
            bw.run("own", **{**given, **change}, out=tmp_path / "c")
        assert message in caught.value.message
        assert "--" not in str(caught.value)

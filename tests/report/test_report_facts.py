"""Facts that a reader needs to trust or reproduce the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.records import SelfCheck
from benchwright.report.provenance import shared_and_differing, track_title
from benchwright.report.runs import load_runs
from kit import small_data
from kit.made_runs import finished_run
from kit.reported import STRONG, loaded, run_of


def facts_of(path: Path) -> dict[str, str]:
    """Return the facts of one run."""
    shared, own = shared_and_differing(load_runs([path]))
    assert own == []
    return {fact.name: fact.values[0] for fact in shared}


def test_a_run_says_how_it_was_made(tmp_path: Path) -> None:
    """Data by its hash, model and its parameters, limits, isolation, versions, host and times."""
    path = run_of(tmp_path, "strong", STRONG, model="openai:org/coder")
    facts = facts_of(path)
    data = load_runs([path])[0].contestant.data

    assert facts == {
        "track": "humaneval",
        "data set, SHA-256": data,
        "scoring profile": "strict",
        "model": "openai:org/coder",
        "model: name": "org/coder",
        "answers per task": "4",
        "answers": "48 answers",
        "self-check": "passed: gold passed 12 of 12, stub passed 0 of 12",
        "isolation": "separated",
        "jail": "bubblewrap",
        "limits": "3 s of processor time, 30 s of wall time, 1024 MiB of memory",
        "judging rules": "version 1",
        "Python of the answers": "3.11",
        "Benchwright": "0.1.0",
        "host": "Linux-6, 2 cores",
        "started": "2026-11-21 04:17 UTC",
        "finished": "2026-11-21 04:18 UTC",
    }


def test_counts_of_answers_are_shown_when_present(tmp_path: Path) -> None:
    """Missing, identical, truncated, and tokens: only those of the run."""
    rows = {"Small/0": [("a", "passed", {"truncated": True}), ("b", "model_error")]}
    more = {"identical": 3, "tokens_in": 1200, "tokens_out": 50, "prompt_design": "spread"}
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows, **more)
    facts = facts_of(run)

    assert facts["prompts"] == "spread"
    assert facts["answers"] == (
        "2 answers, 1 missing, 3 duplicates, 1 truncated, 1,200 tokens read, 50 tokens written"
    )


def test_a_self_check_that_fails_is_loud(tmp_path: Path) -> None:
    """It is among the facts, and the page shows it at the top."""
    check = SelfCheck(gold_passed=11, gold_total=12, stub_passed=0, stub_total=12)

    assert facts_of(run_of(tmp_path, "a", STRONG, self_check=check))["self-check"].startswith("FAILED: gold")


def test_mixed_isolation_is_counted(tmp_path: Path) -> None:
    """Each level has its number of answers, not only the best one."""
    rows = {"Small/0": [("a", "passed"), ("b", "passed", {"isolation": "none"}), ("c", "passed")]}
    run = finished_run(tmp_path / "run", small_data.humaneval(tmp_path), rows)

    assert facts_of(run)["isolation"] == "1 none and 2 separated"


def test_equal_facts_are_said_once(tmp_path: Path) -> None:
    """Facts shared by all runs have one value; others have one for each run, in order."""
    runs = loaded(tmp_path, one=STRONG, two=STRONG)
    shared, own = shared_and_differing(runs)

    assert {fact.name for fact in own} == {"model", "model: name"}
    assert [fact.values for fact in own if fact.name == "model"] == [["openai:one", "openai:two"]]
    assert all(len(fact.values) == 1 for fact in shared)


def test_folders_of_this_machine_are_left_out(tmp_path: Path) -> None:
    """Paths of stored answers and models reveal the user."""
    path = run_of(tmp_path, "a", STRONG, model="replay:/home/someone/answers.jsonl")
    said = " ".join(facts_of(path).values())

    assert ("answers.jsonl" in said, "someone" in said) == (True, False)


@pytest.mark.parametrize(
    "change",
    [
        {"limits": {"cpu_s": "many"}},
        {"limits": None},
        {"model": "text"},
        {"excluded": None},
        {"python": "\x1b[2J"},
    ],
)
def test_odd_manifests_are_shown_as_they_are(tmp_path: Path, change: dict[str, Any]) -> None:
    """A run.json of another version, or an edited one, does not stop a report."""
    (run,) = loaded(tmp_path, a=STRONG)
    run.folder.manifest["identity"].update(change)
    run.folder.manifest["host"] = "a text"
    run.folder.manifest["started"] = 17
    shared, _ = shared_and_differing([run])

    assert all(value.isprintable() for fact in shared for value in fact.values)


def test_tracks_have_titles() -> None:
    """A track of a package that is not installed keeps its name."""
    assert (track_title("ruhumaneval"), track_title("elsewhere")) == ("ruHumanEval", "elsewhere")

"""The agent of a run: runs that may have one, and its message to a model about a failed answer."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchwright.errors import UsageError
from benchwright.records import Isolation, Outcome, Verdict
from benchwright.running.repair_agent import feedback, is_repairable
from benchwright.running.run_folders import default_folder
from kit.asked_runs import live
from kit.live_model import LiveModel
from kit.run_stages import plan_of


class Talker(LiveModel):
    """A model that continues a conversation."""

    takes = frozenset({"history"})


def verdict(outcome: str, **more: Any) -> Verdict:
    """Return a verdict with all details of a test."""
    fields = {"detail": "call 2: f(31337) gave 5, expected 4242", "stdout": "4242", **more}
    return Verdict(
        key="k",
        task_id="t",
        sample=0,
        outcome=Outcome(outcome),
        isolation=Isolation.separated,
        profile="strict",
        **fields,
    )


def test_a_plan_has_no_agent_unless_one_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With an agent, name and rounds are part of its identity, and nothing else of it changes."""
    plain = live(monkeypatch, tmp_path, Talker())
    repairing = live(monkeypatch, tmp_path, Talker(), agent="repair", rounds=2)
    identity = dict(repairing.identity)

    assert identity.pop("agent") == {"name": "repair", "rounds": 2}
    assert (plain.agent, identity) == (None, plain.identity)
    assert default_folder(repairing) != default_folder(plain)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"agent": "debate"}, "unknown agent: debate"),
        ({"rounds": 2}, "--rounds 2: --rounds needs an agent"),
        ({"agent": "repair", "rounds": 0}, "--rounds 0: must be from 1 to 10"),
        ({"agent": "repair", "rounds": 11}, "--rounds 11: must be from 1 to 10"),
    ],
)
def test_an_agent_that_could_repair_nothing_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any], words: str
) -> None:
    """The error precedes any writing or request, and has an alternative."""
    with pytest.raises(UsageError) as caught:
        live(monkeypatch, tmp_path, Talker(), **options)

    assert words in caught.value.message
    assert caught.value.hint


def test_a_model_that_takes_plain_texts_has_no_agent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A base model behind the completions interface, and a model that is not asked."""
    with pytest.raises(UsageError, match="gold: cannot continue a conversation"):
        plan_of(tmp_path, agent="repair")
    with pytest.raises(UsageError, match="live:model cannot continue a conversation"):
        live(monkeypatch, tmp_path, LiveModel(), agent="repair")


def test_answers_that_are_not_executed_are_not_repaired(tmp_path: Path) -> None:
    """Telling a model that a label is wrong reveals the right one."""
    data = str(resources.files("benchwright.demo").joinpath("codecorrectness.jsonl"))
    with pytest.raises(UsageError, match="answers to codecorrectness are not executed") as caught:
        plan_of(tmp_path, track="codecorrectness", data=data, agent="repair")

    assert caught.value.hint == "leave --agent out"


@pytest.mark.parametrize("language", ["en", "ru"])
@pytest.mark.parametrize("outcome", ["exception", "wrong", "timed_out", "out_of_memory", "output_limit"])
def test_nothing_of_a_test_is_told(outcome: str, language: str) -> None:
    """Neither the input, nor the expected value, nor the answer's output, only that it failed."""
    told = feedback(verdict(outcome), language=language)

    assert "31337" not in told and "4242" not in told
    assert len(told.split("\n\n")) == 2


def test_each_outcome_has_words_of_its_own() -> None:
    """In both languages; other languages use English."""
    outcomes = [outcome for outcome in Outcome if is_repairable(verdict(outcome.value, detail=""))]
    told = {
        feedback(verdict(each.value, detail=""), language=name) for each in outcomes for name in ("en", "ru")
    }

    assert len(told) == 2 * len(outcomes) == 16
    assert feedback(verdict("wrong"), language="de") == feedback(verdict("wrong"), language="en")


def test_the_traceback_of_an_exception_is_shown() -> None:
    """Its fence cannot be closed by its content."""
    traceback = 'Traceback (most recent call last):\n  File "<solution>", line 2\nValueError: ```'
    told = feedback(verdict("exception", traceback=traceback), language="en")

    assert f"````\n{traceback}\n````" in told


@pytest.mark.parametrize("outcome", ["no_code", "syntax_error", "no_entry_point"])
def test_what_was_found_before_anything_ran_is_shown(outcome: str) -> None:
    """It is about the program only."""
    assert "```\nline 3 is odd\n```" in feedback(verdict(outcome, detail="line 3 is odd"), language="en")


@pytest.mark.parametrize("outcome", ["syntax_error", "no_entry_point"])
def test_what_quotes_tests_beside_a_program_is_not_shown(outcome: str) -> None:
    """Of a compiler's output only messages on the program's own file are shown."""
    quoting = verdict(outcome, detail='t.go:3: cannot use "hidden word"', traceback="a.go:1: undefined: x")
    beside = msgspec.structs.replace(quoting, isolation=Isolation.tamper_evident)
    told = feedback(beside, language="en")

    assert "a.go:1: undefined: x" in told
    assert "hidden word" not in told


def test_levels_that_failed_are_named() -> None:
    """Their outcomes are shown, and no more."""
    parts = {"normal": Outcome.passed, "edge_case": Outcome.wrong}
    told = feedback(verdict("wrong", parts=parts), language="en")

    assert "Tests: normal – passed, edge_case – wrong." in told


def test_cheats_and_failures_of_the_harness_are_not_asked_about() -> None:
    """The model could repair neither."""
    left = {outcome.value for outcome in Outcome if not is_repairable(verdict(outcome.value))}

    no_failure = {"passed", "scored", "undecided"}
    assert left == no_failure | {"tampered", "flaky", "unparsable", "sandbox_error", "model_error"}

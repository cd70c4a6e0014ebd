"""Asking a live model: requests, stored answers, events, and ends of a run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.asking.ask import waiting
from benchwright.contracts import RequestOptions
from benchwright.errors import RunError
from benchwright.records import Answer
from benchwright.running.answering import RunPrompts, ask_questions
from benchwright.running.plan import Plan
from benchwright.store.keys import KeySet
from benchwright.store.runfolder import RunFolder
from kit.asked_runs import asked, live, notes
from kit.live_model import LiveModel, copies
from kit.run_stages import Listener, folder_of, plan_of
from kit.small_data import answers, read_rows

FAULT = {"fault": "stop-kept", "means": "it left a stop string in the text"}


def test_answers_are_stored_in_order_with_what_the_server_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """They came last first; each has its variant, tokens and reason to end."""
    plan = live(monkeypatch, tmp_path, LiveModel())
    stored = asked(tmp_path, plan)
    places = [(answer.task_id, answer.sample, answer.prompt) for answer in stored]
    facts = {(answer.finish_reason, answer.tokens_in, answer.tokens_out) for answer in stored}

    assert places == [(f"Small/{task}", sample, f"en-0{task + 1}") for task in range(3) for sample in (0, 1)]
    assert facts == {("stop", 10, 5)}


def test_what_is_answered_is_not_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A second run asks only what failed; the answer that came replaces the failure."""
    failing = LiveModel(fails=lambda prompt: "no luck" if prompt.task_id == "Small/1" else None)
    before = asked(tmp_path, live(monkeypatch, tmp_path, failing))
    model = LiveModel()
    after = asked(tmp_path, live(monkeypatch, tmp_path, model))

    assert [answer.error for answer in before] == [None, None, "no luck", "no luck", None, None]
    assert [(prompt.task_id, prompt.sample) for prompt in model.asked] == [("Small/1", 1), ("Small/1", 0)]
    assert [answer.error for answer in after] == [None] * 6


def test_a_model_with_a_budget_is_told_what_is_spent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The tokens of all stored answers, those of the failed ones too."""
    first = LiveModel(fails=lambda prompt: "cut" if prompt.sample else None)
    asked(tmp_path, live(monkeypatch, tmp_path, first))
    second = LiveModel()
    asked(tmp_path, live(monkeypatch, tmp_path, second))

    assert (first.told, second.told) == ((0, 0), (60, 30))


def test_a_failure_is_counted_and_its_reason_shown_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A person sees why, without a line for each of a thousand."""
    model = LiveModel(fails=lambda prompt: "HTTP 500" if prompt.sample else None)
    watch = Listener()
    asked(tmp_path, live(monkeypatch, tmp_path, model, n=3), watch)
    ticks = Counter(
        outcome for kind, outcome, *_ in [(*heard, None) for heard in watch.heard] if kind == "tick"
    )
    said = [text for text in notes(watch) if "HTTP 500" in text]

    assert (ticks, said) == ({None: 3, "model_error": 6}, ["no answer to task Small/2: HTTP 500"])


def test_events_are_kept_and_faults_shown_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Retries are only counted; a fault of the server is a note, the first time."""
    retries = [("retry", {"status": "429", "count": 2}), ("retry", {"status": "503", "count": 1})]
    events = [*retries, ("server_fault", FAULT), ("server_fault", FAULT), ("other", {"a": 1})]
    model, watch = LiveModel(events=events), Listener()
    asked(tmp_path, live(monkeypatch, tmp_path, model), watch)
    kept = [(row["kind"], row["detail"]) for row in read_rows(tmp_path / "run" / "events.jsonl")]
    status = [text for kind, *rest in watch.heard if kind == "status" for text in rest]

    assert kept == events
    assert [text for text in notes(watch) if "fault" in text] == [
        "the server's fault: it left a stop string in the text"
    ]
    assert (status[0], status[1], status[-1]) == ("2 retries", "3 retries", "3 retries · 90 tokens")


def test_cost_is_shown_where_prices_are_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Beside the tokens, counted on from what was spent before."""
    asking = RequestOptions(price_in=1000.0, price_out=2000.0)
    watch = Listener()
    asked(tmp_path, live(monkeypatch, tmp_path, LiveModel(), asking=asking), watch)
    status = [text for kind, *rest in watch.heard if kind == "status" for text in rest]

    assert (status[0], status[-1]) == ("15 tokens · cost 0.02", "90 tokens · cost 0.12")


def test_what_it_takes_is_said_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Before the stage begins, and only where something is left to ask."""
    watch, again = Listener(), Listener()
    asked(tmp_path, live(monkeypatch, tmp_path, LiveModel()), watch)
    asked(tmp_path, live(monkeypatch, tmp_path, LiveModel()), again)
    kinds = [kind for kind, *_ in watch.heard]

    assert (kinds[:3], "6 requests to live:model" in notes(watch)[0]) == (["note", "note", "begin"], True)
    assert again.heard == [("begin", "answers", 6, 6), ("end",)]


def test_stored_answers_are_not_announced(tmp_path: Path) -> None:
    """A replay costs nothing: only the format of the file is reported."""
    watch = Listener()
    plan = plan_of(tmp_path, model=f"replay:{answers(tmp_path)}")
    asked(tmp_path, plan, watch)

    (shape,) = notes(watch)
    assert shape.startswith("stored answers: JSON Lines")
    assert {answer.prompt for answer in asked(tmp_path, plan)} == {""}


def interrupted(model: LiveModel, plan: Plan, folder: Path) -> list[Answer]:
    """Ask until Ctrl-C, and read what is there then."""
    with folder_of(plan, folder) as run:
        with pytest.raises(KeyboardInterrupt):
            ask_questions(plan, run, Listener())
        return list(run.answers())


def test_ctrl_c_in_the_model_keeps_what_has_arrived(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """All received answers are stored, and the next run asks for the others."""
    model = LiveModel(ends=(4, KeyboardInterrupt))
    plan = live(monkeypatch, tmp_path, model)
    kept = interrupted(model, plan, tmp_path)
    second = LiveModel()
    whole = asked(tmp_path, live(monkeypatch, tmp_path, second))

    assert (len(kept), model.closed, len(second.asked), len(whole)) == (4, True, 2, 6)


def test_ctrl_c_outside_the_model_closes_it_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its requests in flight are given up while the exception passes, not when garbage is collected."""

    class Pressed(Listener):
        def tick(self, outcome: object) -> None:
            raise KeyboardInterrupt

    model = LiveModel()
    plan = live(monkeypatch, tmp_path, model)
    with folder_of(plan, tmp_path) as run:
        with pytest.raises(KeyboardInterrupt):
            ask_questions(plan, run, Pressed())
        stored = list(run.answers())

    assert (model.closed, len(stored)) == (True, 1)


def test_a_model_that_answers_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A table of nothing is no score: the run ends with the reason, and what to do."""
    plan = live(monkeypatch, tmp_path, LiveModel(fails=lambda prompt: "connection refused"))
    with pytest.raises(RunError) as caught:
        asked(tmp_path, plan)

    assert caught.value.message == "live:model gave no answer to any of 6 questions: connection refused"
    assert "asks again" in str(caught.value.hint)


def test_a_model_that_stops_early_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The first tasks are a biased part of a data set; stored answers are kept."""
    model = LiveModel(ends=(4, StopAsking))
    monkeypatch.setattr(LiveModel, "answer", _until_stop(LiveModel.answer))
    plan = live(monkeypatch, tmp_path, model)
    with pytest.raises(RunError) as caught:
        asked(tmp_path, plan)

    assert (caught.value.message, "--budget" in str(caught.value.hint)) == (
        "2 of 6 questions not asked",
        True,
    )
    assert len(read_rows(tmp_path / "run" / "answers.jsonl")) == 4


class StopAsking(Exception):
    """A model's own reason to end its answers."""


def _until_stop(answer: Any) -> Any:
    def ended(self: LiveModel, *args: Any) -> Any:
        try:
            yield from answer(self, *args)
        except StopAsking:
            return

    return ended


def test_waiting_is_what_has_no_answer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """By key and task, in any order."""
    plan = live(monkeypatch, tmp_path, LiveModel(copies))
    every = list(RunPrompts(plan))
    done = KeySet((prompt.key, prompt.task_id) for prompt in every[1:4])

    assert list(waiting(RunPrompts(plan), done)) == [every[0], *every[4:]]


def test_a_torn_line_does_not_stop_the_budget(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What a kill leaves of a row is cut before the tokens are counted."""
    model = LiveModel(ends=(3, KeyboardInterrupt))
    interrupted(model, live(monkeypatch, tmp_path, model), tmp_path)
    path = RunFolder.read(tmp_path / "run").answers_path
    path.write_bytes(path.read_bytes()[:-20])
    second = LiveModel()
    asked(tmp_path, live(monkeypatch, tmp_path, second))

    assert (second.told, len(second.asked)) == ((20, 10), 4)


def test_a_wait_is_shown(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """How long, before which try, what for; a server's words in it draw nothing."""
    waits = [
        ("wait", {"for_s": 299.6, "why": "http://h/v1: HTTP 429: \x1b[2Jbusy", "try": 2, "tries": 7}),
        ("wait", {"for_s": 10.0, "why": "--per-minute"}),
    ]
    watch = Listener()
    asked(tmp_path, live(monkeypatch, tmp_path, LiveModel(events=waits)), watch)

    assert [text for text in notes(watch) if text.startswith("waiting")] == [
        "waiting 300 s before try 2 of 7: http://h/v1: HTTP 429: \\x1b[2Jbusy",
        "waiting 10 s: --per-minute",
    ]

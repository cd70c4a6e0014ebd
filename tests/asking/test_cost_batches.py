"""Answers from batches have their own price, also in a run that was asked in both ways."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.asking.ask import AskOptions, ask
from benchwright.asking.cost import Budget, Forecast, cost, foresee
from benchwright.contracts import Prompt, RequestOptions
from benchwright.running.answering import RunPrompts
from benchwright.running.score_notes import count_answers, notes_on_answers
from kit.asked_runs import live
from kit.live_model import LiveModel
from kit.run_stages import Listener, folder_of

PRICES = {"price_in": 1000.0, "price_out": 2000.0}
SINGLE = RequestOptions(**PRICES)  # 0.02 for an answer of 10 and 5 tokens
BATCH = RequestOptions(batch=True, price_batch=0.4, **PRICES)  # 0.008


def test_the_price_of_a_batch_is_a_share() -> None:
    assert cost(BATCH, 10, 5) == pytest.approx(0.02)
    assert cost(BATCH, 10, 5, batch=True) == pytest.approx(0.008)
    assert cost(RequestOptions(batch=True), 10, 5, batch=True) is None


def test_a_budget_counts_at_the_price_of_the_session() -> None:
    prompt = Prompt(key="k", task_id=1, sample=0, text="x")
    single, batch = (Budget(RequestOptions(**PRICES, budget=1.0, batch=way)) for way in (False, True))
    for each in (single, batch):
        each.add(100, 50)

    assert (single.spent, batch.spent) == (pytest.approx(0.2), pytest.approx(0.1))
    assert batch.greatest(prompt) == pytest.approx(single.greatest(prompt) / 2)


def test_the_forecast_shows_the_price_of_batches() -> None:
    ahead = Forecast(requests=2, tokens_in=1000, largest=500)
    *_, single = foresee(ahead, SINGLE, spec="openai:m", purpose=["what"])
    *_, batch = foresee(ahead, BATCH, spec="openai:m", purpose=["what"])

    assert "at most 9.19, if" in single
    assert "at most 3.68 at 0.4 of the price, as a batch" in batch


def test_a_run_asked_in_both_ways(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Three answers one by one, then three in a batch: shown, reserved and noted at both prices."""

    def failing(prompt: Prompt) -> str | None:
        return "HTTP 500" if prompt.sample else None

    plan = live(monkeypatch, tmp_path, LiveModel(fails=failing, tokens_in=10, tokens_out=5))
    model, watch = LiveModel(batch="batch_1"), Listener()
    with folder_of(plan, tmp_path) as folder:
        options = AskOptions(asking=SINGLE, tasks=plan.data, purpose=lambda: ["what"])
        ask(RunPrompts(plan), plan.model, folder, Listener(), options)
        folder.keep_answers([each for each in folder.answers() if each.error is None])
        ask(RunPrompts(plan), model, folder, watch, options._replace(asking=BATCH))
        counts = count_answers(folder.answers())
    status = [text for kind, *rest in watch.heard if kind == "status" for text in rest]
    plan.asking = BATCH
    (note,) = notes_on_answers(plan, counts, truncated=0)

    assert (counts.tokens_in, counts.batch_in, counts.batch_out) == (60, 30, 15)
    assert model.told == (75, 38)  # 30 and 15 tokens at 1 / 0.4 of the price of this session
    assert status[-1] == "90 tokens · cost 0.084"  # 3 x 0.02 + 3 x 0.008
    assert "the answers cost 0.084, at 1000 and 2000" in note
    assert note.endswith("those from batches at 0.4 of it")

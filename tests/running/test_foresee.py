"""What a run will take is said in numbers that hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Asking
from benchwright.models.openai.budget import TEMPLATE_TOKENS
from benchwright.running.ask import prompts
from benchwright.running.foresee import foresee
from benchwright.stats.power import detectable_before
from kit.live_model import LiveModel, register
from kit.run_stages import plan_of

PRICES = {"price_in": 3.0, "price_out": 50.0}


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """The sentences for some options, and the prompts they are about."""
    register(monkeypatch, LiveModel())

    def say(**changed: Any) -> tuple[list[str], list[Any]]:
        plan = plan_of(tmp_path, **{"model": "live:model", "tasks": 12, **changed})
        waiting = list(prompts(plan))
        return foresee(plan, waiting), waiting

    return say


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "120 requests to live:model: 12 tasks, spread over 10 prompts (en, chat), 10 answers to each"),
        (
            {"prompts": "all", "n": 1, "language": "ru"},
            "120 requests to live:model: 12 tasks, each in each of 10",
        ),
        (
            {"prompts": "row", "tasks": 1, "n": 1},
            "1 request to live:model: 1 task, the data set's own prompt, 1",
        ),
        ({"asking": Asking(api="completions")}, "10 prompts (en, base)"),
    ],
)
def test_how_much_is_asked(said: Any, options: dict[str, Any], words: str) -> None:
    """Requests, tasks, prompts, answers."""
    lines, _ = said(**options)

    assert words in lines[0]


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        (Asking(), "temperature 0.6, at most 2,048 tokens an answer"),
        (Asking(temperature=0.0, max_tokens=9), "temperature 0.0, at most 9 tokens an answer"),
        (
            Asking(body={"temperature": None, "max_tokens": None}),
            "the server's own temperature, answers of any length",
        ),
    ],
)
def test_with_which_parameters(said: Any, asking: Asking, words: str) -> None:
    """As the request will have them."""
    lines, _ = said(asking=asking)

    assert lines[0].endswith(words)


@pytest.mark.parametrize(("options", "samples"), [({}, 10), ({"n": 3}, 3), ({"prompts": "all", "n": 2}, 20)])
def test_what_it_can_show(said: Any, options: dict[str, Any], samples: int) -> None:
    """The minimum detectable difference for so many tasks and answers to each."""
    lines, _ = said(**options)
    least = detectable_before(12, samples)

    assert least is not None
    assert f" {100 * least:.1f} points of pass@1" in lines[1]


@pytest.mark.parametrize(("tasks", "n"), [(1, 10), (3, 2), (4, 10), (5, 1)])
def test_too_few_tasks_to_show_anything(said: Any, tasks: int, n: int) -> None:
    """It is said before they are asked, instead of a number that does not hold."""
    lines, _ = said(tasks=tasks, n=n)

    assert "no difference of pass@1 between two models would be found four times in five" in lines[1]


def test_what_it_costs_at_most(said: Any) -> None:
    """Each byte of a prompt a token and each answer as long as it may be: no bill can be higher."""
    lines, waiting = said(asking=Asking(max_tokens=1000, **PRICES))
    tokens_in = sum(len(prompt.text.encode()) + TEMPLATE_TOKENS for prompt in waiting)
    bound = (tokens_in * 3.0 + len(waiting) * 1000 * 50.0) / 1e6
    (told,) = re.findall(r"at most ([\d.]+), if each", lines[2])

    assert float(told) == pytest.approx(bound, abs=0.006)


@pytest.mark.parametrize(("budget", "ends"), [(1.5, True), (1000.0, False)])
def test_a_budget_is_named_where_it_can_be_reached(said: Any, budget: float, ends: bool) -> None:
    """One above the bound plays no part."""
    lines, _ = said(asking=Asking(budget=budget, **PRICES))

    assert lines[2].endswith("asking stops when 1.50 are spent") == ends


def test_no_cost_is_guessed(said: Any) -> None:
    """Without prices, or where an answer may have any length, there is no line of it."""
    lengths = [
        len(said(asking=asking)[0]) for asking in (Asking(), Asking(body={"max_tokens": None}, **PRICES))
    ]

    assert lengths == [2, 2]


def test_nothing_left_nothing_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A run that goes straight to judging is not announced as one that asks."""
    register(monkeypatch, LiveModel())

    assert foresee(plan_of(tmp_path, model="live:model"), []) == []


@pytest.mark.parametrize(
    ("asking", "words"),
    [
        (Asking(max_tokens=1000, budget=100.0, **PRICES), []),
        (Asking(max_tokens=1000, budget=0.2, **PRICES), ["3 requests at most can be in flight, not 8"]),
        (
            Asking(max_tokens=1000, budget=0.01, **PRICES),
            ["more than the whole budget of 0.01: requests go one at a time"],
        ),
        (Asking(body={"max_tokens": None}, budget=9.0, **PRICES), ["requests go one at a time"]),
    ],
)
def test_what_a_budget_does_to_the_requests_in_flight(said: Any, asking: Asking, words: list[str]) -> None:
    """Said before the run where it slows the run down; where it does not, nothing is."""
    lines, _ = said(asking=asking)
    told = [line for line in lines if "budget" in line and "asking stops" not in line]

    assert [word in line for word, line in zip(words, told, strict=True)] == [True] * len(words)

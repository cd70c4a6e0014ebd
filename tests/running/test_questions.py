"""The questions of a run: texts, keys and order, and the notes before they are sent."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Prompt, RequestOptions
from benchwright.errors import PrerequisiteError
from benchwright.running.answering import RunPrompts, purpose
from benchwright.running.pipeline import run_plan
from benchwright.stats.power import detectable_before
from benchwright.store.keys import content_key
from kit.asked_runs import asked, live
from kit.live_model import LiveModel, register
from kit.run_stages import plan_of


def test_each_question_is_asked_once_with_its_own_key(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Keys differ between prompts and repetitions, and are equal on every machine."""
    model = LiveModel()
    plan = live(monkeypatch, tmp_path, model, prompts="all")
    asked(tmp_path, plan)
    keys = {prompt.key for prompt in model.asked}

    assert (len(model.asked), len(keys), keys) == (60, 60, {prompt.key for prompt in RunPrompts(plan)})


def test_the_crossed_design_numbers_samples_through(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """sample // n is the variant; each task is asked n times with each of ten."""
    model = LiveModel()
    plan = live(monkeypatch, tmp_path, model, prompts="all", language="ru")
    stored = asked(tmp_path, plan)
    samples = [answer.sample for answer in stored if answer.task_id == "Small/1"]

    assert (samples, plan.total) == (list(range(20)), 60)
    assert [answer.prompt for answer in stored] == [f"ru-{1 + answer.sample // 2:02}" for answer in stored]
    assert {plan.variant(answer.task_id, answer.sample) == answer.prompt for answer in stored} == {True}


def test_spreading_gives_each_task_one_prompt_and_all_prompts_alike(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The place in the data set decides, so that excluding a task does not change the prompts of others."""
    model = LiveModel()
    plan = live(monkeypatch, tmp_path, model, tasks=25, exclude=("Small/3",))
    by_task = {prompt.task_id: prompt.variant for prompt in RunPrompts(plan)}
    wanted = {f"Small/{task}": f"en-{task % 10 + 1:02}" for task in range(25) if task != 3}

    assert by_task == wanted
    assert set(Counter(by_task.values()).values()) <= {2, 3}


def test_the_row_design_asks_what_the_data_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The text is the row's own, and its key is unchanged."""
    model = LiveModel()
    plan = live(monkeypatch, tmp_path, model, prompts="row", n=1)
    first = next(iter(RunPrompts(plan)))
    task = plan.tasks["Small/0"]
    identity = content_key(dict(model.identity()))
    key = content_key(content_key(task.revision, task.inputs["function"], identity), 0)

    assert first == Prompt(key=key, task_id="Small/0", sample=0, text=task.inputs["function"])


@pytest.mark.parametrize(("api", "ends"), [("chat", False), ("completions", True)])
def test_the_api_decides_the_form(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, api: str, ends: bool
) -> None:
    """A base model gets text that ends with the head."""
    plan = live(monkeypatch, tmp_path, LiveModel(), asking=RequestOptions(api=api), tasks=10)
    heads = [
        prompt.text.endswith(plan.tasks[prompt.task_id].inputs["function"]) for prompt in RunPrompts(plan)
    ]

    assert (all(heads), plan.identity["prompts"]["form"]) == (ends, "base" if ends else "chat")


def test_a_model_without_its_key_is_refused_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error precedes the self-check and any request; a run with all answers needs no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    plan = plan_of(tmp_path, model="openai:some", n=1)
    with pytest.raises(PrerequisiteError, match="OPENAI_API_KEY is not set"):
        run_plan(plan, out=tmp_path / "run")

    assert not (tmp_path / "run" / "self_check.jsonl").exists()


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Return the notes on a run's questions, for some options."""
    register(monkeypatch, LiveModel())
    return lambda **changed: purpose(plan_of(tmp_path, **{"model": "live:model", "tasks": 12, **changed}))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "12 tasks, spread over 10 prompts (en, chat), 10 answers to each"),
        (
            {"prompts": "all", "n": 1, "language": "ru"},
            "12 tasks, each in each of 10",
        ),
        (
            {"prompts": "row", "tasks": 1, "n": 1},
            "1 task, the data set's own prompt, 1",
        ),
        ({"asking": RequestOptions(api="completions")}, "10 prompts (en, base)"),
    ],
)
def test_how_much_is_asked(said: Any, options: dict[str, Any], words: str) -> None:
    """Requests, tasks, prompts, answers."""
    lines = said(**options)

    assert words in lines[0]


@pytest.mark.parametrize(("options", "samples"), [({}, 10), ({"n": 3}, 3), ({"prompts": "all", "n": 2}, 20)])
def test_what_it_can_show(said: Any, options: dict[str, Any], samples: int) -> None:
    """The minimum detectable difference for this number of tasks and answers."""
    lines = said(**options)
    least = detectable_before(12, samples)

    assert least is not None
    assert f" {100 * least:.1f} points of pass@1" in lines[1]


@pytest.mark.parametrize(("tasks", "n"), [(1, 10), (3, 2), (4, 10), (5, 1)])
def test_too_few_tasks_to_show_anything(said: Any, tasks: int, n: int) -> None:
    """A note replaces a number that would be invalid."""
    lines = said(tasks=tasks, n=n)

    assert "no difference of pass@1 between two models would be found four times in five" in lines[1]

"""Gold and stub answer by the data set itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import Extraction, Model, Spec
from benchwright.errors import UsageError
from benchwright.models.fixed import open_gold, open_stub
from benchwright.records import Answer, Task
from kit.model_tasks import prompts_of, tasks_of


class OwnTrack:
    """A track whose even tasks have a gold answer."""

    name, title, default_n, ks = "own", "Own", 1, (1,)

    def load(self, source: str | Path) -> Any:
        raise AssertionError("a model does not load data")

    def prompt(self, task: Task) -> str:
        raise AssertionError("a model is given its prompts")

    def gold(self, task: Task) -> str | None:
        return f"gold {task.task_id}" if int(task.task_id) % 2 == 0 else None

    def stub(self, task: Task) -> str:
        return f"stub {task.task_id}"

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        raise AssertionError("a model does not extract")

    def spec(self, task: Task, *, profile: str) -> Spec:
        raise AssertionError("a model does not judge")


def answers(model: Model) -> list[Answer]:
    """Answers to two tasks, one of them twice."""
    return list(model.answer(prompts_of([(2, 0), (3, 0), (2, 1)]), tasks_of(2, 3)))


def test_gold_is_what_the_data_set_holds() -> None:
    """A task without a solution gives a failed answer, not an empty one."""
    actual = [(each.text, each.sample, each.error) for each in answers(open_gold("", track=OwnTrack()))]

    assert actual == [("gold 2", 0, None), ("", 0, "the data set holds no gold answer"), ("gold 2", 1, None)]


def test_the_stub_answers_every_task() -> None:
    """Key, variant and finish reason are those of an ordinary answer."""
    actual = answers(open_stub("", track=OwnTrack()))

    expected = Answer(
        key="3-0", task_id=3, sample=0, model="stub:", text="stub 3", prompt="base", finish_reason="stop"
    )
    assert (expected, 3) == (actual[1], len(actual))


@pytest.mark.parametrize(("opener", "scheme"), [(open_gold, "gold"), (open_stub, "stub")])
def test_the_identity_is_the_scheme(opener: Any, scheme: str) -> None:
    """The data's hash identifies the answers, so they are not part of the identity."""
    model = opener("", track=OwnTrack(), n=10)

    assert (f"{scheme}:", {"scheme": scheme}, None) == (
        model.spec,
        model.identity(),
        model.samples(tasks_of(2)[2]),
    )


@pytest.mark.parametrize("opener", [open_gold, open_stub])
@pytest.mark.parametrize(("rest", "track"), [("x", OwnTrack()), ("", None)])
def test_a_wrong_call_is_a_usage_error(opener: Any, rest: str, track: OwnTrack | None) -> None:
    """Nothing may follow the colon, and a track is needed."""
    with pytest.raises(UsageError) as caught:
        opener(rest, track=track)

    assert caught.value.hint

"""The prompts of a task."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.running.prompting import DESIGNS, PromptDesign, check_design
from kit.live_model import LiveModel, register
from kit.run_stages import plan_of
from kit.small_data import mera
from kit.small_labels import label_rows


@given(st.integers(1, 200), st.integers(1, 12))
def test_spreading_is_even(tasks: int, variants: int) -> None:
    """The numbers of tasks of two variants differ by at most one."""
    names = tuple(f"p{number}" for number in range(variants))
    prompting = PromptDesign(design="spread", variants=names, positions={task: task for task in range(tasks)})
    used = [prompting.variant(task, 0) for task in range(tasks)]
    counts = [used.count(name) for name in names]

    assert max(counts) - min(counts) <= 1
    assert prompting.ways == 1


@pytest.mark.parametrize("design", DESIGNS)
def test_questions_and_their_names_agree(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, design: str
) -> None:
    """The name by place equals the name in the question, with `ways` of them for each task."""
    register(monkeypatch, LiveModel())
    plan = plan_of(tmp_path, model="live:model", prompts=design)
    prompting = plan.prompting
    for task in plan.tasks.values():
        named = [prompting.variant(task.task_id, way) for way in range(prompting.ways)]

        assert named == [question.variant for question in prompting.questions(plan.track, task)]


@pytest.mark.parametrize(("options", "first"), [({}, "ru-01"), ({"language": "en"}, "en-01")])
def test_the_language_is_the_track_s_unless_chosen(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any], first: str
) -> None:
    """Russian for ruHumanEval."""
    register(monkeypatch, LiveModel())
    (tmp_path / "mera").mkdir()
    data = str(mera(tmp_path / "mera"))
    plan = plan_of(tmp_path, model="live:model", track="ruhumaneval", **{**options, "data": data})

    assert (plan.variant(0, 0), plan.identity["prompts"]["language"]) == (first, first[:2])


def test_changed_wordings_are_part_of_a_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A live run with earlier wordings is another run; tracks with unchanged wordings have no such field."""
    register(monkeypatch, LiveModel())
    data = str(label_rows(tmp_path))
    labels = plan_of(tmp_path, model="live:model", track="codecorrectness", data=data)
    stored = plan_of(tmp_path, model="gold:", track="codecorrectness", data=data)

    assert labels.identity["prompts"] == {"design": "spread", "language": "ru", "form": "chat", "wordings": 2}
    assert (labels.variant(1, 0), "prompts" in stored.identity) == ("ru2-01", False)
    assert "wordings" not in plan_of(tmp_path, model="live:model").identity["prompts"]


def test_unknown_designs_are_refused() -> None:
    """The error lists the existing ones."""
    with pytest.raises(UsageError) as caught:
        check_design("crossed")

    assert caught.value.hint == "one of: spread, all, row"
    assert [check_design(design) for design in (None, *DESIGNS)] == [None] * 4

"""The facts of measures: what figures are called, how they are written, in which order tables have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import JudgedAnswer, JudgedAnswers, Measure, MeasureSet, UnknownMeasures
from benchwright.contracts.completion_specs import CompletionSpec, MeraCompletionSpec
from benchwright.contracts.tool_logs import ToolMeasures
from benchwright.records import Isolation, Metric, Outcome, Task, TaskId, Verdict
from benchwright.running.run_data import executes, measures_of
from benchwright.tracks.correctness.track import TRACK as LABELS
from benchwright.tracks.functions.humaneval import TRACK as PROGRAMS

OF_LABELS = ["exact_match", "balanced_accuracy", "mcc", "macro_f1", "invalid"]


def _metric(value: float, low: float = 0.0, high: float = 1.0) -> Metric:
    return Metric(value=value, low=low, high=high, n=9, samples=1)


@pytest.mark.parametrize(
    ("scale", "ends", "shown"),
    [
        ("share", (0.712, 0.6, 0.8), ("71.2 %", "60.0–80.0")),
        ("points", (0.712, 0.6, 0.8), ("71.2", "60.0–80.0")),
        ("correlation", (-0.26, -0.456, 0.006), ("−0.26", "−0.46 to 0.01")),
        ("correlation", (-0.001, -1.0, 0.004), ("0.00", "−1.00 to 0.00")),
    ],
)
def test_a_figure_is_written_by_its_scale(
    scale: str, ends: tuple[float, float, float], shown: object
) -> None:
    """A correlation may be negative, and has no per cent; what rounds to zero has no sign."""
    measure = Measure(name="x", scale=scale)  # type: ignore[arg-type]

    assert measure.figures(_metric(*ends)) == shown


def test_the_log_of_a_tool_has_its_own_measures() -> None:
    """Found by their exact name; any other metric is a share."""
    known = Measure(name="f1", label="F1", scale="points")
    measures = ToolMeasures([known])

    assert measures.find("f1") is known
    assert measures.find("f") == Measure(name="f", label="f", paired=True)


def test_each_program_of_a_completion_is_an_execution() -> None:
    """The answer, its baselines, and those of the exact comparison; the self-check and forecasts count them."""
    exact = MeraCompletionSpec(entry_point="f", baselines={"a": "", "b": ""})

    assert exact.executions == 3
    assert CompletionSpec(entry_point="f", baselines={"a": ""}).executions == 2
    assert CompletionSpec(entry_point="f", baselines={"a": ""}, exact=exact).executions == 4


def test_one_task_is_written_without_decimals() -> None:
    """In per cent or in points."""
    assert [Measure(name="x", scale=scale).rounded(0.5) for scale in ("share", "points")] == ["50 %", "50"]


def test_measures_have_one_order_and_names_for_people() -> None:
    """Stored scores sort their keys as text; tables do not."""
    measures = LABELS.measures

    assert measures.in_order(sorted(OF_LABELS)) == OF_LABELS
    assert PROGRAMS.measures.in_order(["pass@10", "pass@5", "pass@1"]) == ["pass@1", "pass@5", "pass@10"]
    assert [measures.find(name).title for name in OF_LABELS] == [
        "exact match",
        "balanced accuracy",
        "MCC",
        "macro-F1",
        "no label",
    ]


@given(st.integers(1, 10**6))
def test_a_family_covers_every_number_of_answers(k: int) -> None:
    """The figure for k answers has the family's facts under a name of its own."""
    family = PROGRAMS.measures.family
    assert family is not None
    found = PROGRAMS.measures.find(family.at(k))

    assert (found.name, found.title, found.paired, found.better) == (
        f"pass@{k}",
        f"pass@{k}",
        True,
        "passes more",
    )


@pytest.mark.parametrize("name", ["pass@", "pass@0", "pass@x", "fail@3", "pass@-1", "x", ""])
def test_a_figure_that_is_not_known_is_a_plain_share(name: str) -> None:
    """It is shown, and runs are not compared by it."""
    for measures in (PROGRAMS.measures, LABELS.measures, UnknownMeasures()):
        assert measures.find(name) == Measure(name=name)
        assert measures.compared([name]) == []


def test_what_a_table_has_room_for() -> None:
    """The narrower the table, the fewer; a family's figures wherever there are any."""
    rooms = {
        kind: [each.name for each in LABELS.measures.shown_in(kind, ["extra"])]
        for kind in ("score", "summary", "ranking", "group")
    }

    assert rooms == {
        "score": ["extra", *OF_LABELS],
        "summary": ["exact_match", "balanced_accuracy", "mcc", "invalid"],
        "ranking": ["exact_match", "balanced_accuracy", "mcc"],
        "group": ["exact_match", "mcc"],
    }
    assert [each.name for each in PROGRAMS.measures.shown_in("group", ["pass@5"])] == ["pass@5"]


def test_the_headline_is_what_prompts_are_compared_by() -> None:
    """Of a family the figure of one answer."""
    assert (PROGRAMS.measures.headline.name, LABELS.measures.headline.name) == ("pass@1", "exact_match")


def test_a_track_that_is_not_installed_has_no_measures() -> None:
    """What it stored is shown as shares all the same, and its answers as programs."""
    unknown = measures_of("elsewhere")

    assert (unknown.measures, unknown.metrics({}, {}, []), unknown.task_value("x", [])) == ((), {}, None)
    assert (unknown.find("x").number(0.5), unknown.in_order(["b", "a"])) == ("50.0 %", ["a", "b"])
    assert (executes("elsewhere"), executes("codecorrectness")) == (True, False)


class _Least(MeasureSet):
    """A track's measures with nothing said that need not be."""

    measures = (Measure(name="accuracy", paired=True),)

    def metrics(
        self, tasks: Mapping[TaskId, Task], answers: JudgedAnswers, ks: Sequence[int]
    ) -> dict[str, Metric]:
        return {}

    def task_value(self, name: str, answers: Sequence[JudgedAnswer]) -> float | None:
        return float(all(each.outcome is Outcome.passed for each in answers))


def test_what_a_track_need_not_say() -> None:
    """No notes, no details, no curve; sections are read from what the details hold."""
    least = _Least()
    groups = {
        "groups": {"language": {"Go": {"accuracy": {"value": 1, "low": 0, "high": 1, "n": 1, "samples": 1}}}}
    }

    assert (least.notes({}, {}, []), least.details({}, {}), least.curve([], []), least.family) == (
        (),
        {},
        {},
        None,
    )
    assert [each.kind for each in least.sections(groups).groupings] == ["language"]
    assert (least.sections({}).is_empty, least.headline.name) == (True, "accuracy")


def test_a_grade_reaches_the_measures() -> None:
    """What a judge that grades gave stands in the judged answer; plain ones of one kind are one object."""
    plain = verdict()
    graded = verdict(scores={"logic": 0.5}, parts={"edge": Outcome.wrong})

    assert JudgedAnswer.of(plain, "") is JudgedAnswer.of(plain, "")
    assert JudgedAnswer.of(graded, "a") == (Outcome.passed, "a", {"logic": 0.5}, {"edge": Outcome.wrong})


def verdict(**fields: Any) -> Verdict:
    """A verdict with these fields."""
    return Verdict(
        key="k",
        task_id=1,
        sample=0,
        outcome=Outcome.passed,
        isolation=Isolation.separated,
        profile="strict",
        **fields,
    )

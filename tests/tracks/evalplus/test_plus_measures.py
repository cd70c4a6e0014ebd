"""Two scores of one execution: all tests, and the base tests alone."""

from __future__ import annotations

import pytest

from benchwright.contracts import JudgedAnswer
from benchwright.records import Outcome
from benchwright.tracks.evalplus.track import PlusRates

RATES = PlusRates()
RIGHT = JudgedAnswer(Outcome.passed, parts={"base": Outcome.passed, "plus": Outcome.passed})
HALF = JudgedAnswer(Outcome.wrong, parts={"base": Outcome.passed, "plus": Outcome.wrong})
WRONG = JudgedAnswer(Outcome.wrong, parts={"base": Outcome.wrong, "plus": Outcome.wrong})
NO_CODE = JudgedAnswer(Outcome.no_code)


def test_both_scores_by_name() -> None:
    """The score by all tests comes first; an answer without a program counts in both."""
    found = RATES.metrics({}, {"a": [RIGHT, HALF], "b": [WRONG, NO_CODE]}, (1, 2))

    values = {name: metric.value for name, metric in found.items()}

    assert values["pass@1"] == 0.25
    assert values["pass@2"] == values["base_pass@1"] == values["base_pass@2"] == 0.5
    assert [name for name in RATES.in_order(values) if "base" in name] == ["base_pass@1", "base_pass@2"]
    assert RATES.headline.name == "pass@1"


@pytest.mark.parametrize(
    ("name", "answers", "value"),
    [("pass@1", [RIGHT, HALF], 0.5), ("base_pass@1", [RIGHT, HALF], 1.0), ("base_pass@2", [RIGHT], None)],
)
def test_a_tasks_value(name: str, answers: list[JudgedAnswer], value: float | None) -> None:
    """Comparisons of runs use this value."""
    assert RATES.task_value(name, answers) == value


def test_a_note_tells_what_the_plus_inputs_found() -> None:
    """Where they found nothing there is none."""
    told = "answers that pass the base tests and fail on a plus input: 1"

    assert RATES.notes({}, {"a": [RIGHT, HALF]}, (1,)) == [told]
    assert RATES.notes({}, {"a": [RIGHT, WRONG]}, (1,)) == []
    assert RATES.measures[-1].covers("base_pass@5")

"""SR@All, SR@Any and pass@k of judged answers, checked by hand on ten of them."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.contracts import JudgedAnswer
from benchwright.records import Outcome, Task, TaskId
from benchwright.tracks.aicodereval.entry import build
from benchwright.tracks.aicodereval.measures import SuccessRates
from benchwright.tracks.rows import Fields
from kit.made_entries import IMAGE, SPEECH, TEXT, changed

RATES = SuccessRates()
P, W, E = Outcome.passed, Outcome.wrong, Outcome.exception
LEVELS = ("normal", "edge_case", "correctness")


def answer(*ends: Outcome, lines: float = 10.0, tokens: float = 50.0, variant: str = "") -> JudgedAnswer:
    """Return an answer whose levels ended in this way, as the judge combines them."""
    whole = next((end for end in ends if end is not P), P)
    parts = dict(zip(LEVELS, ends, strict=True))
    return JudgedAnswer(whole, variant, {"code_lines": lines, "code_tokens": tokens}, parts)


def task(row: dict[str, Any]) -> Task:
    return build(Fields(row, "made", 1))


TASKS: dict[TaskId, Task] = {
    "a": task(changed(TEXT, task_id="a", libraries=["torch==2.13.0", "numpy==2.4.6"])),
    "b": task(changed(IMAGE, task_id="b", libraries=["numpy==2.4.6"])),
    "c": task(changed(SPEECH, task_id="c")),
    "d": task(changed(TEXT, task_id="d", domain="Tabular")),
    "e": task(changed(TEXT, task_id="e")),
}
UNREAD = JudgedAnswer(Outcome.syntax_error)
# Ten answers, two a task. All levels pass in 4 of them, at least one level in 8.
ANSWERS: dict[TaskId, list[JudgedAnswer]] = {
    "a": [answer(P, P, P, lines=20.0), answer(P, P, W)],  # all 1 of 2, any 2 of 2
    "b": [answer(W, P, W), answer(W, W, W)],  # all 0, any 1 of 2
    "c": [answer(P, P, P), answer(P, P, P)],  # all 2 of 2, any 2 of 2
    "d": [answer(E, E, P), UNREAD],  # all 0, any 1 of 2
    "e": [answer(P, W, W), answer(P, P, P, tokens=140.0)],  # all 1 of 2, any 2 of 2
}


def test_rates_by_hand() -> None:
    """SR@All is 4 of 10, SR@Any 8 of 10; pass@1 is SR@All, and pass@2 counts tasks with any right answer."""
    found = RATES.metrics(TASKS, ANSWERS, (1, 2))

    assert {name: each.value for name, each in found.items()} == pytest.approx(
        {"sr_all": 4 / 10, "sr_any": 8 / 10, "pass@1": 4 / 10, "pass@2": 3 / 5, "pass^2": 1 / 5}
    )
    assert all(0 <= each.low <= each.value <= each.high <= 1 and each.n == 5 for each in found.values())
    assert all(each.samples == 2 for each in found.values())


def test_rates_by_domain_level_and_library() -> None:
    """A task with two libraries counts for both; an answer without a program has passed no level."""
    groups = RATES.details(TASKS, ANSWERS)["groups"]
    values = {
        kind: {name: {metric: each["value"] for metric, each in row.items()} for name, row in rows.items()}
        for kind, rows in groups.items()
    }

    assert values["domain"] == {
        "NLP": {"sr_all": 2 / 4, "sr_any": 4 / 4},
        "CV": {"sr_all": 0.0, "sr_any": 1 / 2},
        "Audio": {"sr_all": 1.0, "sr_any": 1.0},
        "Tabular": {"sr_all": 0.0, "sr_any": 1 / 2},
    }
    assert values["library"] == {
        "numpy": {"sr_all": 1 / 4, "sr_any": 3 / 4},
        "torch": {"sr_all": 1 / 2, "sr_any": 1.0},
    }
    assert values["level"] == {
        "normal": {"sr_all": 6 / 10},
        "edge_case": {"sr_all": 6 / 10},
        "correctness": {"sr_all": 5 / 10},
    }


def test_code_lines_and_tokens_are_of_the_answers_that_are_programs() -> None:
    """Nine of the ten; eight have 10 lines and one 20, eight have 50 tokens and one 140."""
    details = RATES.details(TASKS, ANSWERS)

    assert details["code"] == {
        "code_lines": {"mean": 11.11, "median": 10.0, "answers": 9},
        "code_tokens": {"mean": 60.0, "median": 50.0, "answers": 9},
    }
    assert "code lines (CL): 11.1 on average, median 10" in details["findings"][0]


def test_how_each_level_ended_is_counted() -> None:
    """There are ten answers per level, with any outcome."""
    ends = RATES.details(TASKS, ANSWERS)["levels"]

    assert ends["normal"] == {"exception": 1, "passed": 6, "syntax_error": 1, "wrong": 2}
    assert [sum(each.values()) for each in ends.values()] == [10, 10, 10]


def test_sections_show_levels_in_their_own_order() -> None:
    """The names in a stored score are sorted."""
    details = RATES.details(TASKS, ANSWERS)
    stored = {
        **details,
        "groups": {kind: dict(sorted(rows.items())) for kind, rows in details["groups"].items()},
    }
    sections = RATES.sections(stored)
    rows = {each.kind: list(each.rows) for each in sections.groupings}

    assert sections.title == "Success rates" and rows["level"] == list(LEVELS)
    assert rows["domain"] == ["Audio", "CV", "NLP", "Tabular"]


@pytest.mark.parametrize(
    ("name", "value"), [("sr_all", 0.5), ("sr_any", 1.0), ("pass@1", 0.5), ("pass@2", 1.0), ("pass@3", None)]
)
def test_a_task_s_value_is_the_mean_over_its_answers(name: str, value: float | None) -> None:
    """Comparisons of runs use this value task by task."""
    assert RATES.task_value(name, ANSWERS["e"]) == value


def test_figures_are_the_means_of_the_tasks_values() -> None:
    """So a comparison of runs compares the figures that tables show."""
    found = RATES.metrics(TASKS, ANSWERS, (1, 2))
    for name, metric in found.items():
        values = [RATES.task_value(name, given) or 0.0 for given in ANSWERS.values()]
        assert metric.value == pytest.approx(sum(values) / len(values))


def test_several_prompts_count_alike() -> None:
    """The figure is the mean over prompts, as in any track: two answers to one prompt do not outweigh one to
    another."""
    given = {
        "a": [
            answer(P, P, P, variant="en-01"),
            answer(P, W, W, variant="en-01"),
            answer(W, W, W, variant="en-02"),
        ]
    }

    found = RATES.metrics(TASKS, given, (1,))

    assert (found["sr_all"].value, found["sr_any"].value) == (0.25, 0.5)


def test_verdicts_without_parts_count_whole() -> None:
    """Verdicts of withheld tasks have no parts."""
    given: dict[TaskId, list[JudgedAnswer]] = {"a": [JudgedAnswer(P)], "b": [JudgedAnswer(W)]}

    found = RATES.metrics(TASKS, given, (1,))

    assert (found["sr_all"].value, found["sr_any"].value) == (0.5, 0.5)


def test_nothing_is_made_of_no_answers() -> None:
    """There are no figures and no details."""
    assert (RATES.metrics(TASKS, {}, (1,)), RATES.details(TASKS, {})) == ({}, {})


def test_runs_are_compared_by_success_in_all_levels() -> None:
    """The first measure decides ranks; all are compared task by task."""
    assert RATES.headline.name == "sr_all"
    assert RATES.compared(["sr_all", "sr_any", "pass@1"]) == ["sr_all", "sr_any", "pass@1"]

"""From verdicts to metrics: the label follows from the outcome, and each group has its own numbers."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchwright.records import Outcome, Task, TaskId
from benchwright.stats.two_classes import LabelPredictions, class_metrics
from benchwright.text.label import LABELS
from benchwright.tracks.correctness.measures import LabelMeasures, predicted, score_details, score_metrics
from benchwright.tracks.correctness.rows import build
from benchwright.tracks.rows import Fields
from kit.correctness_cases import FOCAL, TEST, correctness_row
from kit.judged import judged

JUDGED = (Outcome.passed, Outcome.wrong, Outcome.unparsable)


def tasks_of(*changes: Mapping[str, object]) -> dict[TaskId, Task]:
    """Return tasks numbered from 0."""
    rows = [correctness_row(**{"id": number, **each}) for number, each in enumerate(changes)]
    return {number: build(Fields(row, "rows", number + 1)) for number, row in enumerate(rows)}


@given(st.sampled_from(LABELS), st.sampled_from([*LABELS, None]))
@settings(deadline=None)
def test_what_was_said_follows_from_the_outcome(gold: str, said: str | None) -> None:
    """With two labels, a wrong answer stated the other one."""
    outcome = Outcome.unparsable if said is None else Outcome.passed if said == gold else Outcome.wrong

    assert said == predicted(gold, outcome)


def test_metrics_are_those_of_what_was_said() -> None:
    """Missing answers are left out everywhere, even from the invalid ones."""
    tasks = tasks_of({}, {}, {"outputs": "failed"}, {"outputs": "failed"}, {})
    outcomes = [Outcome.passed, Outcome.wrong, Outcome.passed, Outcome.unparsable, Outcome.model_error]
    ended = [(number, outcome) for number, outcome in enumerate(outcomes)]

    said = [("success", "success"), ("success", "failed"), ("failed", "failed"), ("failed", None)]
    expected = class_metrics(
        [LabelPredictions(gold=gold, said=(each,)) for gold, each in said], labels=LABELS
    )
    assert expected == score_metrics(tasks, judged(ended))


def test_several_answers_are_gathered_by_task() -> None:
    """The order of judging has no effect."""
    tasks = tasks_of({}, {"outputs": "failed"})
    ended = [
        (0, Outcome.passed),
        (1, Outcome.wrong),
        (0, Outcome.wrong),
        (1, Outcome.wrong),
    ]
    found = score_metrics(tasks, judged(ended))["exact_match"]

    assert (found.value, found.n, found.samples) == (0.25, 2, 2)


def test_nothing_judged_has_no_metrics() -> None:
    """There are no details and no zeros."""
    tasks, ended = tasks_of({}), [(0, Outcome.sandbox_error)]

    assert (score_metrics(tasks, judged(ended)), score_details(tasks, judged(ended))) == ({}, {})


def test_details_hold_the_table_and_the_majority() -> None:
    """Rows are the truth, columns the stated labels."""
    tasks = tasks_of({}, {}, {}, {"outputs": "failed"})
    ended = [(number, outcome) for number, outcome in enumerate([*JUDGED, Outcome.wrong])]
    details = score_details(tasks, judged(ended))

    assert details["confusion"] == {
        "success": {"success": 1, "failed": 1, "none": 1},
        "failed": {"success": 1, "failed": 0, "none": 0},
    }
    majority = details["baselines"]["majority"]
    assert (majority["label"], majority["exact_match"]["value"]) == ("success", 0.75)


def test_groups_are_by_language_subset_tag_and_prompt() -> None:
    """A tag with few tasks is only counted; a kind of group without tasks is left out."""
    tags: list[dict[str, object]] = [
        {"tags": ["clock", "rare"] if number == 3 else ["clock"]} for number in range(10)
    ]
    tasks = tasks_of(*tags, {"lang": "Go", "subset": "original"}, {"lang": "Go", "subset": 3})
    ended = [(number, Outcome.passed, f"ru-{1 + number % 2:02}") for number in range(12)]
    details = score_details(tasks, judged(ended))

    sizes = {
        kind: {name: metrics["exact_match"]["n"] for name, metrics in groups.items()}
        for kind, groups in details["groups"].items()
    }
    assert sizes == {
        "language": {"Go": 2, "Python": 10},
        "subset": {"original": 1},
        "tag": {"clock": 10},
        "prompt": {"ru-01": 6, "ru-02": 6},
    }
    assert details["small_tags"] == 1


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        (["b", "a", 3], ["a", "b"]),
        ({"mocks": True, "async": False}, ["async: no", "mocks: yes"]),
        (
            {"asserts": 3, "lines": 25, "focal": 7, "long": 900},
            ["asserts: 3", "focal: 6 to 24", "lines: 25 to 49", "long: 400 and more"],
        ),
        ({"odd": -1, "framework": "pytest"}, ["framework: pytest", "odd: below 0"]),
        (
            {"uses": ["time", "random"], "imports": {"stdlib": ["re"], "local": []}},
            ["imports: stdlib", "uses: random", "uses: time"],
        ),
        ("time", []),
        (None, []),
        ({"share": 0.5, "deep": [["x"]]}, []),
    ],
)
def test_tags_are_named_whatever_their_form(tags: object, names: list[str]) -> None:
    """Flags give yes and no, numbers a range, lists each of their names."""
    tasks = tasks_of(*({"tags": tags} for _ in range(10)))
    details = score_details(tasks, judged([(number, Outcome.passed) for number in range(10)]))

    assert names == list(details["groups"].get("tag", {}))


def test_the_shape_baseline_is_beside_the_score() -> None:
    """It needs enough rows of either label; otherwise the reason is reported."""
    blank = TEST.replace("\n\n\n", "\n" * 20)
    few = tasks_of({}, {"outputs": "failed"})
    many = tasks_of(*({"test_code": blank} if at % 2 else {"outputs": "failed"} for at in range(60)))
    found = [score_details(tasks, judged([(at, Outcome.passed) for at in tasks])) for tasks in (few, many)]
    absent, shape = (each["baselines"]["shape"] for each in found)

    assert absent == {
        "absent": "a shape baseline needs two labels with 20 rows each; there are: 1 failed, 1 success"
    }
    assert (shape["is_artefact"], shape["exact_match"]["value"]) == (True, 1.0)
    assert "test.blank_run" in [tell["feature"] for tell in shape["tells"]]


def test_a_row_s_own_wording_is_a_group_too() -> None:
    """If the row's own prompt was asked, the row's name of the wording counts; the prompt that was asked
    takes precedence."""
    tasks = tasks_of({}, {}, {})
    tasks = {at: replace(task, meta={**task.meta, "prompt": f"ru-0{at + 1}"}) for at, task in tasks.items()}
    ended = [(0, Outcome.passed), (1, Outcome.wrong), (2, Outcome.passed, "en-07")]
    prompts = score_details(tasks, judged(ended))["groups"]["prompt"]

    assert {name: group["exact_match"]["value"] for name, group in prompts.items()} == {
        "en-07": 1.0,
        "ru-01": 1.0,
        "ru-02": 0.0,
    }


def test_un_escaped_tasks_are_named() -> None:
    """The note lists ids in their order."""
    tasks = tasks_of({}, {"focal_code": json.dumps(FOCAL)[1:-1]})
    details = score_details(tasks, judged([(1, Outcome.passed), (0, Outcome.passed)]))

    assert details["unescaped"] == [1]


@given(
    st.lists(
        st.tuples(st.sampled_from(LABELS), st.sampled_from([*JUDGED, Outcome.model_error])),
        min_size=1,
        max_size=12,
    )
)
@settings(deadline=None)
def test_details_are_json_and_add_up(rows: list[tuple[str, Outcome]]) -> None:
    """Each judged answer is in exactly one cell."""
    tasks = tasks_of(*({"outputs": gold} for gold, _ in rows))
    details = json.loads(
        json.dumps(score_details(tasks, judged([(at, outcome) for at, (_, outcome) in enumerate(rows)])))
    )
    cells = [count for row in details.get("confusion", {}).values() for count in row.values()]

    assert sum(cells) == sum(not outcome.is_missing for _, outcome in rows)


def test_versions_of_one_test_are_one_cluster() -> None:
    """Twelve pairs of versions, both right or both wrong: intervals of score and baselines are wider, and a
    note states it."""
    labels = [LABELS[place % 2] for place in range(24)]
    alone = tasks_of(*({"outputs": label} for label in labels))
    paired = tasks_of(
        *({"outputs": label, "cluster": f"c{place // 2}"} for place, label in enumerate(labels))
    )
    answers = judged(
        (task, Outcome.wrong if task // 2 % 3 == 0 else Outcome.passed) for task in range(len(labels))
    )
    wide, narrow = score_metrics(paired, answers), score_metrics(alone, answers)

    assert {name: each.value for name, each in wide.items()} == {
        name: each.value for name, each in narrow.items()
    }
    for name in ("exact_match", "balanced_accuracy", "mcc", "macro_f1"):
        assert wide[name].high - wide[name].low > 1.2 * (narrow[name].high - narrow[name].low), name
    assert LabelMeasures().notes(alone, answers, ()) == []
    assert LabelMeasures().notes(paired, answers, ()) == [
        "24 tasks in 12 clusters: intervals see the versions of one test together"
    ]

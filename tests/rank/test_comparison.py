"""Two runs compared, in figures and in words."""

from __future__ import annotations

import re

import pytest

from benchwright.errors import RunError
from benchwright.rank.comparison import compare
from benchwright.stats.paired import paired_difference
from kit.contestants import contestant

STRONG = [9, 10, 8, 10, 9, 7, 10, 9, 10, 8] * 4
WEAK = [2, 5, 1, 4, 3, 0, 6, 2, 3, 1] * 4
NOISE = [c + shift for c, shift in zip(WEAK, [1, -1, 0, 1, -1, 0, -2, 1, 0, 2] * 4, strict=True)]


def test_a_better_model_is_said_to_be_better():
    """The sentence names the better one first, with its lead, the interval, the tasks and p."""
    actual = compare(contestant("strong", STRONG), contestant("weak", WEAK))
    d = actual.difference
    expected = (
        f"strong passes more than weak: +63.0 points of pass@1 (95 % interval +{100 * d.low:.1f} to "
        f"+{100 * d.high:.1f}, 40 tasks, p < 0.001)."
    )

    assert (actual.sentence, actual.separated, actual.better) == (expected, True, "strong")


def test_the_order_of_the_runs_does_not_change_the_sentence():
    """The reversed comparison has the same sentence and figures."""
    a, b = contestant("strong", STRONG), contestant("weak", WEAK)

    assert compare(a, b).sentence == compare(b, a).sentence


def test_noise_is_said_to_be_noise():
    """If the interval includes zero, no lead is claimed, and the sentence states the detectable difference."""
    actual = compare(contestant("one", WEAK), contestant("two", NOISE))
    shape = (
        r"Not established which of one and two passes more: the difference is (0\.0|[+−]\d\.\d) points of "
        r"pass@1, and the interval −\d\.\d to \+\d\.\d includes zero \(40 tasks, p = [\d.]+\)\. These tasks "
        r"cannot reliably detect a difference under about \d\.\d points\."
    )

    assert (bool(re.fullmatch(shape, actual.sentence)), actual.separated, actual.better) == (
        True,
        False,
        None,
    )


def test_figures_are_those_of_the_paired_test():
    """Estimates of shared tasks, a minus b."""
    a, b = contestant("a", STRONG), contestant("b", WEAK)
    expected = paired_difference(a.estimates["pass@1"], b.estimates["pass@1"])

    actual = compare(a, b)

    assert (actual.difference, actual.a_value, actual.b_value) == (
        expected,
        pytest.approx(0.9),
        pytest.approx(0.27),
    )


def test_changes_are_sorted_by_size():
    """The largest difference comes first; among equal ones a's gains precede b's."""
    actual = compare(contestant("a", [0, 10, 5, 5, 2]), contestant("b", [10, 0, 5, 4, 5]))
    rows = [(row.task_id, row.difference) for row in actual.changes]

    assert rows == [("t1", 1.0), ("t0", -1.0), ("t4", -0.3), ("t3", 0.1)]


def test_runs_that_agree_everywhere():
    """There is no change and no difference, but an interval."""
    actual = compare(contestant("a", WEAK), contestant("b", WEAK))

    assert (actual.changes, actual.difference.value, actual.difference.high > 0.04) == ([], 0.0, True)


def test_clusters_are_used_and_named():
    """Tasks of one repository count together, and the sentence states the grouping."""
    groups = [f"r{number // 4}" for number in range(40)]
    a = contestant("a", STRONG, clusters=groups, grouping="repository")
    actual = compare(a, contestant("b", WEAK))

    assert (actual.difference.clusters, "40 tasks in 10 groups by repository" in actual.sentence) == (
        10,
        True,
    )


def test_few_clusters_are_noted():
    """With four groups the interval is uncertain, and a note states it."""
    groups = [f"r{number // 10}" for number in range(40)]
    a = contestant("a", STRONG, clusters=groups, grouping="cluster")
    [note] = compare(a, contestant("b", WEAK)).notes

    assert note == "the tasks come from only 4 groups, which widens the interval"


def test_other_metrics_and_confidence():
    """By pass@10, at 99 %."""
    a, b = contestant("a", STRONG, ks=(1, 10)), contestant("b", WEAK, ks=(1, 10))
    actual = compare(a, b, metric="pass@10", confidence=0.99)

    assert (actual.metric, actual.difference.mcnemar is not None, "pass@10" in actual.sentence) == (
        "pass@10",
        True,
        True,
    )


def test_the_confidence_is_in_the_sentence():
    """The sentence has the level of 99 %."""
    actual = compare(contestant("a", STRONG), contestant("b", WEAK), confidence=0.99)

    assert "(99 % interval" in actual.sentence


def test_what_cannot_be_compared_is_not():
    """Different data sets are an error."""
    with pytest.raises(RunError, match="these runs cannot be compared: `data` differs"):
        compare(contestant("a", STRONG), contestant("b", WEAK, data="0" * 64))


def test_prompts_are_allowed_by_name():
    """`allow` is passed on."""
    a = contestant("a", STRONG, settings={"prompts": {"design": "all"}})

    assert "together with their prompts" in compare(a, contestant("b", WEAK), allow=["prompts"]).notes[0]


def test_two_p_values_on_different_sides():
    """McNemar's exact test is more conservative: the note states which one decides."""
    a, b = [1] * 9 + [0] * 11, [0] * 9 + [1] * 2 + [0] * 9
    actual = compare(contestant("a", a, n=1), contestant("b", b, n=1))
    sides = (actual.difference.p < 0.05, (actual.difference.mcnemar or 0) < 0.05)
    (note,) = [note for note in actual.notes if "two p values" in note]

    assert sides == (True, False)
    assert (
        actual.decided_by,
        "p = 0.046 decides, which is that of the interval" in note,
        actual.separated,
    ) == (
        "difference.p",
        True,
        True,
    )


def test_intervals_that_overlap_though_the_test_separates():
    """A note explains that comparing the two intervals is not a test."""
    a = [10] * 20 + [0] * 20
    b = [8] * 20 + [0] * 20
    actual = compare(contestant("a", a), contestant("b", b))

    assert actual.separated
    assert [note for note in actual.notes if "intervals of the two runs overlap" in note]


def test_nothing_is_noted_where_all_figures_agree():
    """One model is far ahead."""
    assert compare(contestant("strong", STRONG), contestant("weak", [0] * 40)).notes == []


def test_too_few_tasks_to_have_found_anything():
    """An invalid number is not printed; with few tasks it is a rough one."""
    four, eight = (compare(contestant("a", STRONG[:size]), contestant("b", STRONG[:size])) for size in (4, 8))

    assert four.sentence.endswith("With so few tasks, no difference of any size could be detected reliably.")
    assert eight.sentence.endswith("a rough figure for so few tasks.")

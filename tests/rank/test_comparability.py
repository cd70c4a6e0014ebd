"""Conditions for comparing runs, and the errors if they do not hold."""

from __future__ import annotations

import pytest

from benchwright.errors import RunError, UsageError
from benchwright.rank.comparability import check_comparable, common_metric, shared_tasks
from benchwright.running.run_data import HINT
from kit.contestants import contestant, score

COUNTS = [5] * 6


def two(**changed):
    return [contestant("a", COUNTS), contestant("b", COUNTS, **changed)]


def test_equal_conditions_need_no_word():
    """Runs of one data set, judged alike, have no notes."""
    assert check_comparable(two()) == []


def test_a_run_with_an_agent_is_compared_with_one_without():
    """This comparison is useful; a note states it."""
    settings = {"agent": {"name": "repair", "rounds": 3}}
    (note,) = check_comparable(two(settings=settings))

    assert note.startswith(
        "`agent` differs (a: none; b: name repair, rounds 3): it asks again after failed tests"
    )


@pytest.mark.parametrize(
    ("changed", "words", "hint"),
    [
        (
            {"data": "e" * 64},
            "`data` differs (a: dddddddddddd…; b: eeeeeeeeeeee…)",
            "run both on the same data set",
        ),
        ({"track": "ruhumaneval"}, "`track` differs (a: humaneval; b: ruhumaneval)", "runs of one track"),
        ({"profile": "mera-code"}, "`profile` differs (a: strict; b: mera-code)", "--profile"),
        ({"form": "batch"}, "`form` differs (a: default; b: batch)", "--form"),
        ({"judging": 2}, "`judging` differs (a: 1; b: 2)", "repeat the `run` command"),
        ({"excluded": ["t1"]}, "`excluded` differs (a: nothing; b: t1)", "--exclude"),
        ({"settings": {"limit": 5}}, "`limit` differs (a: none; b: 5)", "--limit"),
        ({"settings": {"shots": 3}}, "`shots` differs (a: none; b: 3)", "the same settings"),
    ],
)
def test_different_conditions_are_refused_by_field_and_value(changed, words, hint):
    """Each differing field is listed with both values, and the hint has a correction."""
    with pytest.raises(RunError) as caught:
        check_comparable(two(**changed))

    assert (caught.value.message, hint in str(caught.value.hint)) == (
        f"these runs cannot be compared: {words}",
        True,
    )


def test_all_differences_are_named_at_once():
    """One message has both faults."""
    with pytest.raises(RunError) as caught:
        check_comparable(two(profile="mera-code", judging=2))

    assert ("`profile` differs" in caught.value.message, "`judging` differs" in caught.value.message) == (
        True,
        True,
    )


def test_the_order_of_excluded_tasks_is_none():
    """Another order of excluded tasks is the same set."""
    runs = [contestant("a", COUNTS, excluded=["x", "y"]), contestant("b", COUNTS, excluded=["y", "x"])]

    assert check_comparable(runs) == []


def test_hostile_values_are_escaped():
    """Text from run.json cannot control the terminal through a message."""
    with pytest.raises(RunError) as caught:
        check_comparable(two(profile="\x1b[31mred\n"))

    assert "\x1b" not in caught.value.message


SPREAD = {"prompts": {"design": "spread", "language": "ru", "form": "chat"}}
ALL = {"prompts": {"design": "all", "language": "ru", "form": "chat"}}


def asked(first, second, **changed):
    return [contestant("a", COUNTS, settings=first), contestant("b", COUNTS, settings=second, **changed)]


@pytest.mark.parametrize("other", [ALL, {}])
def test_different_prompts_are_refused(other):
    """Other variants, or the data set's own prompts, are another question."""
    with pytest.raises(
        RunError, match=r"`prompts` differs .*design spread, language ru, form chat"
    ) as caught:
        check_comparable(asked(SPREAD, other))

    assert caught.value.hint == "use --allow prompts to compare models together with their prompts"


def test_different_prompts_can_be_allowed():
    """With `allow` the comparison is made, and a note states what it compares."""
    [note] = check_comparable(asked(SPREAD, ALL), allow=["prompts"])

    assert note.endswith("models are compared together with their prompts")


def test_prompts_of_stored_answers_are_not_known():
    """A file of answers does not store its prompts: the comparison is made, with a note."""
    [note] = check_comparable(asked(SPREAD, {}, model="replay:answers.jsonl"))

    assert note == "the prompts of the stored answers of b are unknown"


def test_two_files_of_stored_answers_need_no_note():
    """If neither prompt is known, they cannot be distinguished."""
    runs = [contestant(name, COUNTS, model=f"replay:{name}.jsonl") for name in "ab"]

    assert check_comparable(runs) == []


def test_nothing_else_can_be_allowed():
    """`allow` does not apply to different data."""
    with pytest.raises(UsageError, match="--allow: unknown value 'data'"):
        check_comparable(two(), allow=["data"])


def test_different_numbers_of_answers_are_noted():
    """pass@k is unbiased for each n, so the runs are comparable."""
    runs = [contestant("a", COUNTS, n=10), contestant("b", COUNTS, n=20)]

    assert check_comparable(runs) == [
        "the numbers of answers per task differ (a 10, b 20); the estimates are unbiased for any number"
    ]


def test_different_limits_and_pythons_are_noted():
    """They affect only borderline verdicts, so they are noted and not refused."""
    notes = check_comparable(
        asked({"limits": {"cpu_s": 1.0}, "python": "3.11"}, {"limits": {"cpu_s": 3.0}, "python": "3.12"})
    )

    assert notes == [
        "`limits` differs (a: cpu_s 1.0; b: cpu_s 3.0): some verdicts may depend on it",
        "`python` differs (a: 3.11; b: 3.12): some verdicts may depend on it",
    ]


def test_missing_answers_are_noted():
    """Missing answers and tasks are counted and listed."""
    lossy = score("b", [(10, 5)] * 6, (1,), missing=3)
    notes = check_comparable(two(score=lossy, unjudged=["t9"]))

    assert notes == [
        "b has 1 task without a judged answer: excluded for all",
        "b has 3 missing answers: run it again to retry",
    ]


def test_unknown_groups_are_noted():
    """If no run's data set could be read, groups of tasks are unknown."""
    runs = [contestant(name, COUNTS, groups_absent="runs/a keeps no tasks") for name in "ab"]
    notes = check_comparable(runs), check_comparable([runs[0], contestant("c", COUNTS)])

    assert notes == ([f"tasks are treated as independent: runs/a keeps no tasks; {HINT}"], [])


def test_the_metric_asked_for():
    """It must be a metric of all runs."""
    runs = [contestant(name, COUNTS, ks=(1, 5)) for name in "ab"]

    assert (common_metric(runs, None), common_metric(runs, "pass@5")) == ("pass@1", "pass@5")


def test_without_a_word_the_first_common_metric_is_taken():
    """A metric that one run lacks is skipped."""
    runs = [contestant("a", COUNTS, ks=(1, 5)), contestant("b", COUNTS, ks=(5, 10))]

    assert common_metric(runs, None) == "pass@5"


def test_an_unknown_metric_is_refused_with_what_there_is():
    """The message lists each run's metrics, the hint is an option to paste."""
    runs = [contestant("a", COUNTS, ks=(1, 5)), contestant("b", COUNTS, ks=(1,))]
    with pytest.raises(UsageError) as caught:
        common_metric(runs, "pass@5")

    assert (caught.value.message, caught.value.hint) == (
        "not all of these runs have pass@5: a has pass@1, pass@5; b has pass@1",
        "--metric pass@1",
    )


def test_no_common_metric():
    """Runs without a common metric cannot be compared."""
    runs = [contestant("a", COUNTS, ks=(1,)), contestant("b", COUNTS, ks=(5,))]
    with pytest.raises(RunError, match="no metric in common: a has pass@1; b has pass@5"):
        common_metric(runs, None)


def test_tasks_are_paired_by_name():
    """Tasks that one run lacks are left out for both, the others keep the data set's order."""
    a = contestant("a", [1, 2, 3, 4])
    b = contestant("b", [9, 8], tasks=["t3", "t1"], clusters=["t3", "t1"])
    shared = shared_tasks([a, b], "pass@1")

    assert (shared.tasks, shared.estimates) == (["t1", "t3"], [[0.2, 0.4], [0.8, 0.9]])


def test_groups_are_taken_from_the_run_that_knows_them():
    """It is sufficient if one of the runs could read the data set."""
    a = contestant("a", [1, 2, 3])
    b = contestant("b", [1, 2, 3], clusters=["x", "x", "y"], grouping="repo")
    shared = shared_tasks([a, b], "pass@1")

    assert (shared.clusters, shared.grouping) == (["x", "x", "y"], "repo")


def test_without_groups_there_are_no_clusters():
    """Each task is its own group."""
    assert shared_tasks(two(), "pass@1").clusters is None


@pytest.mark.parametrize("tasks", [["t0"], ["u1", "u2"]])
def test_too_few_shared_tasks(tasks):
    """At least two tasks are needed."""
    b = contestant("b", [1] * len(tasks), tasks=tasks, clusters=tasks)
    with pytest.raises(RunError, match="too few to compare"):
        shared_tasks([contestant("a", COUNTS), b], "pass@1")


def decided(*undecided: int):
    """Write two runs of 60 answers each, with these numbers of undecided ones."""
    pairs = [(10, count) for count in COUNTS]
    return [
        contestant(
            name,
            COUNTS,
            score=score(name, pairs, (1,), outcomes={"passed": 60 - number, "undecided": number}),
        )
        for name, number in zip("ab", undecided, strict=True)
    ]


def test_runs_that_were_decided_alike_are_compared():
    """The number of undecided answers is noted for each run that has any."""
    assert check_comparable(decided(6, 3)) == [
        "a has 6 of 60 answers undecided: only tasks decided in all runs are compared",
        "b has 3 of 60 answers undecided: only tasks decided in all runs are compared",
    ]


def test_runs_that_were_decided_unequally_are_compared_on_demand():
    """Undecided answers may be the hard ones, so the figures are of different tasks."""
    with pytest.raises(RunError) as caught:
        check_comparable(decided(30, 0))

    assert "50.0 % of a's and 100.0 % of b's could be decided" in caught.value.message
    assert "--allow coverage" in caught.value.hint
    assert len(check_comparable(decided(30, 0), allow=("coverage",))) == 1

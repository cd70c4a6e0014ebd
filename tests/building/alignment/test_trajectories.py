"""Iterations and outcomes of pull requests, from a clone alone and from events of a platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.alignment.records import DevelopmentTrajectory
from kit.made_changes import MadeChanges, numbered


@pytest.fixture
def made(tmp_path: Path) -> MadeChanges:
    changes = MadeChanges(tmp_path / "clone")
    changes.land({"a.py": numbered(5)}, message="Begin the project")
    return changes


def two_commits(made: MadeChanges) -> tuple[str, str]:
    """A branch of two commits from the default branch."""
    one = made.commit({"a.py": numbered(5, l1="one()")}, made.main, message="Change the first line")
    two = made.commit({"a.py": numbered(5, l1="one()", l2="two()")}, one, message="Change the second line")
    return one, two


def unit(made: MadeChanges, number: int = 1) -> DevelopmentTrajectory:
    return next(each for each in made.units() if each.pull == f"pull:{number}")


def test_a_head_of_a_clone_has_its_own_commits(made: MadeChanges) -> None:
    one, two = two_commits(made)
    made.pull("push", two)
    made.land({"a.py": numbered(5, l5="later()")})
    found = unit(made)
    assert [each.commits for each in found.iterations] == [[one, two]]
    assert (found.outcome, found.author) == ("unknown", "ann")


def test_heads_that_reviewers_saw_are_iterations_in_the_order_of_the_history(made: MadeChanges) -> None:
    one, two = two_commits(made)
    made.pull("push", two)
    made.pull("review", one, state="commented")
    assert [(each.head, each.commits) for each in unit(made).iterations] == [(one, [one]), (two, [two])]


def test_a_merge_commit_gives_the_commits_that_it_brought(made: MadeChanges) -> None:
    one, two = two_commits(made)
    made.land({"a.py": numbered(5, l5="later()")})
    merge = made.land({"a.py": numbered(5)}, two, message="Merge pull request #1 from ann/branch")
    found = unit(made)
    assert [each.commits for each in found.iterations] == [[one, two]]
    assert (found.outcome, found.merge_commit) == ("merged", merge)


def test_a_squash_is_found_by_its_subject(made: MadeChanges) -> None:
    _, two = two_commits(made)
    made.pull("push", two)
    squash = made.land({"a.py": numbered(5, l1="one()")}, message="Change lines (#1)")
    assert (unit(made).outcome, unit(made).merge_commit) == ("merged", squash)


def test_a_number_in_a_subject_makes_no_pull_request(made: MadeChanges) -> None:
    made.land({"a.py": numbered(5)}, message="Answer an issue (#12)")
    assert not made.units()


def test_a_rebase_is_found_by_the_messages_of_all_commits(made: MadeChanges) -> None:
    _, two = two_commits(made)
    made.pull("push", two)
    made.land({"a.py": numbered(5, l5="later()")}, message="Change something else")
    made.land({"a.py": numbered(5, l1="one()")}, message="Change the first line")
    assert unit(made).outcome == "unknown"
    last = made.land({"a.py": numbered(5, l1="one()", l2="two()")}, message="Change the second line")
    assert (unit(made).outcome, unit(made).merge_commit) == ("merged", last)


def test_the_platform_knows_a_merge_that_the_clone_does_not_show(made: MadeChanges) -> None:
    _, two = two_commits(made)
    made.pull("push", two)
    made.pull("merge")
    assert (unit(made).outcome, unit(made).merge_commit) == ("merged", "")


@pytest.mark.parametrize("message", ["This reverts commit {sha}.", "Reverts #1"])
def test_a_later_revert_ends_it_as_reverted(made: MadeChanges, message: str) -> None:
    _, two = two_commits(made)
    merge = made.land({"a.py": numbered(5)}, two, message="Merge pull request #1 from ann/branch")
    made.land({"a.py": numbered(5)}, message="Go back\n\n" + message.format(sha=merge))
    assert unit(made).outcome == "reverted"


def test_closed_reopened_and_open(made: MadeChanges) -> None:
    one, _ = two_commits(made)
    made.pull("pull_opened", made.main, one)
    assert unit(made).outcome == "open"
    made.pull("pull_closed")
    assert unit(made).outcome == "abandoned"
    made.pull("reopened")
    assert unit(made).outcome == "open"


def test_a_force_push_marks_the_head_that_replaced_another(made: MadeChanges) -> None:
    one, two = two_commits(made)
    again = made.commit({"a.py": numbered(5, l1="again()")}, made.main)
    made.pull("pull_opened", made.main, one)
    made.pull("push", one, two)
    made.pull("force_push", two, again)
    found = [(each.head, each.forced, each.commits) for each in unit(made).iterations]
    assert found == [(one, False, [one]), (two, False, [two]), (again, True, [again])]


def test_a_head_that_the_clone_lacks_is_a_lost_head(made: MadeChanges) -> None:
    one, _ = two_commits(made)
    made.pull("force_push", "e" * 40, one)
    assert [each.gap for each in unit(made).iterations] == ["lost_head", ""]


def test_a_force_push_without_the_head_before_is_a_lost_head(made: MadeChanges) -> None:
    one, _ = two_commits(made)
    made.pull("force_push", "", one)
    assert [(each.head, each.gap) for each in unit(made).iterations] == [("", "lost_head"), (one, "")]


def test_the_head_at_the_time_of_the_fetch_comes_last(made: MadeChanges) -> None:
    one, _ = two_commits(made)
    again = made.commit({"a.py": numbered(5, l1="again()")}, made.main)
    made.pull("pull_opened", made.main, again)
    made.remark(one, "a.py", 1)
    assert [(each.head, each.at != "") for each in unit(made).iterations] == [(one, True), (again, False)]


def test_issues_come_from_the_platform_and_from_texts(made: MadeChanges) -> None:
    one = made.commit({"a.py": numbered(5)}, made.main, message="Fix #4 and close #5")
    made.pull("pull_opened", made.main, one, cites=["issue:9"], text="Resolves other/place#2")
    assert unit(made).issues == ["issue:4", "issue:5", "issue:9", "other/place#2"]


def test_a_deleted_remark_is_left_out_and_an_edit_replaces_the_text(made: MadeChanges) -> None:
    one, _ = two_commits(made)
    made.pull("pull_opened", made.main, one)
    first = made.remark(one, "a.py", 1, text="Old")
    gone = made.remark(one, "a.py", 2)
    made.add("remark", first.subject, pull="pull:1", text="New", place=first.place, subject_rank=1)
    made.add("deleted", gone.subject)
    assert [(each.id, each.at, each.text) for each in made.feedback()] == [(first.id, first.at, "New")]

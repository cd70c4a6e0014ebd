"""One small repository for each rung, for the states without a rung, and for changes that look like answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.alignment.feedback import with_resolution
from benchwright.building.alignment.links.ladder import links
from benchwright.building.alignment.links.link_records import measured_precision
from benchwright.building.alignment.records import EvidenceLink
from benchwright.sources.clone_objects import CloneObjects
from benchwright.sources.diff_records import FileDiff
from kit.made_changes import MadeChanges, numbered

BASE = numbered(20)


@pytest.fixture
def made(tmp_path: Path) -> MadeChanges:
    """A default branch with one file, and an open pull request with one commit, whose head is `first`."""
    changes = MadeChanges(tmp_path / "clone")
    root = changes.land({"a.py": BASE, "b.py": BASE})
    changes.first = changes.commit({"a.py": numbered(20, l5="first_try()"), "b.py": BASE}, root)
    changes.pull("pull_opened", root, changes.first, actor="ann")
    return changes


def pushed(made: MadeChanges, files: dict[str, list[str]], **parts: str) -> str:
    """One more commit on the pull request, merged into the default branch at once."""
    sha = made.commit({"b.py": BASE, **files}, made.first, **parts)
    made.pull("push", made.first, sha)
    return sha


def merged(made: MadeChanges, head: str) -> None:
    merge = made.land({"a.py": BASE}, head, message="Merge pull request #1 from ann/branch")
    made.pull("merge", merge)


def only(links: list[EvidenceLink]) -> EvidenceLink:
    assert len(links) == 1, links
    return links[0]


def states(links: list[EvidenceLink]) -> list[tuple[str, int | None, str]]:
    return [(each.state, each.rung, each.target) for each in links]


def test_a_suggestion_that_equals_the_later_lines_is_rung_1(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, replacement="second_try(1)\nthird()\n")
    changed = numbered(20)
    changed[4:5] = ["second_try(1)", "third()"]
    sha = pushed(made, {"a.py": ["# above", *changed]}, message="Apply suggestions from code review")
    assert states(made.links_of(remark)) == [("answered", rung, f"commit:{sha}") for rung in (1, 2, 3)]
    after = made.links_of(remark)[0].after
    assert after is not None and (after.first, after.last) == (6, 7)


def test_a_suggestion_applied_by_a_second_commit_is_found(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, replacement="second_try(1)")
    middle = pushed(made, {"a.py": numbered(20, l5="other_try()")})
    last = made.commit({"a.py": numbered(20, l5="second_try(1)"), "b.py": BASE}, middle)
    made.pull("push", middle, last)
    assert states(made.links_of(remark)) == [("answered", 1, f"commit:{last}")]


def test_a_suggestion_that_is_not_taken_is_not_rung_1(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, replacement="second_try(1)")
    pushed(made, {"a.py": [*numbered(20, l5="other_try()"), "second_try(1)"]})
    link = only(made.links_of(remark))
    assert (link.state, link.detail) == ("unknown", "suggestion_not_taken")


def test_a_resolved_and_outdated_thread_is_rung_2(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, outdated=True)
    made.add("thread_resolved", "thread:1", pull="pull:1", parents=[remark.subject])
    sha = pushed(made, {"a.py": numbered(20, l5="second()")})
    assert states(made.links_of(remark)) == [
        ("answered", 2, f"commit:{sha}"),
        ("answered", 3, f"commit:{sha}"),
    ]


def test_closing_references_of_the_platform_are_rung_2(made: MadeChanges) -> None:
    made.pull("pull_opened", number=2, cites=["issue:9"])
    made.add("issue_closed", "issue:8", cites=["pull:2"])
    assert states(made.links_of("issue:9")) == [("answered", 2, "pull:2")]
    assert only(made.links_of("issue:8")).method == "platform.closed_by"


@pytest.mark.parametrize("above", [0, 3])
def test_the_commit_that_changes_the_lines_is_rung_3(made: MadeChanges, above: int) -> None:
    remark = made.remark(made.first, "a.py", 5)
    lines = numbered(20, l5="first_try()")
    middle = pushed(made, {"a.py": ["# new"] * above + lines[:15]})
    lines[4] = "second_try()"
    last = made.commit({"a.py": ["# new"] * above + lines[:15], "b.py": BASE}, middle)
    made.pull("push", middle, last)
    link = only(made.links_of(remark))
    assert (link.rung, link.method, link.target) == (3, "line_tracking", f"commit:{last}")
    assert link.before is not None and link.after is not None
    assert (link.before.commit, link.before.first, link.after.first) == (middle, 5 + above, 5 + above)


def test_lines_are_followed_through_a_rename(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    middle = pushed(made, {"moved/c.py": numbered(20, l5="first_try()")})
    last = made.commit({"moved/c.py": numbered(20, l5="second()"), "b.py": BASE}, middle)
    made.pull("push", middle, last)
    link = only(made.links_of(remark))
    assert link.target == f"commit:{last}"
    assert link.after is not None and link.after.path == "moved/c.py"


def test_a_removed_file_changes_its_lines(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    made.remark(made.first, "a.py", 5, text="Removed.", actor="ann", parents=[remark.subject])
    sha = pushed(made, {})
    assert (link := only(made.links_of(remark))).target == f"commit:{sha}"
    assert link.method == "line_tracking.file_deleted"


def test_a_removed_line_that_stays_away_is_unchanged(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, side="old", text="Why was this removed?")
    sha = pushed(made, {"a.py": numbered(20, l5="first_try()", l9="elsewhere()")})
    merged(made, sha)
    assert only(made.links_of(remark)).state == "unchanged"


def test_an_old_line_that_comes_back_answers_a_remark_on_the_left_side(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, side="old", text="Why was this removed?")
    sha = pushed(made, {"a.py": BASE})
    assert states(made.links_of(remark)) == [("answered", 3, f"commit:{sha}")]


def test_lines_across_a_force_push_with_known_heads(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    other = made.commit({"a.py": numbered(20, l5="second()"), "b.py": BASE}, made.main)
    made.pull("force_push", made.first, other)
    link = only(made.links_of(remark))
    assert (link.method, link.target) == ("line_tracking.heads", f"commit:{other}")


def test_a_rebase_on_somebody_elses_change_is_no_answer(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 12)
    upstream = made.land({"a.py": numbered(20, l12="upstream()"), "b.py": BASE})
    other = made.commit({"a.py": numbered(20, l5="first_try()", l12="upstream()"), "b.py": BASE}, upstream)
    made.pull("force_push", made.first, other)
    link = only(made.links_of(remark))
    assert (link.state, link.detail) == ("unknown", "changed_by_others")


def test_a_merge_of_the_default_branch_is_no_answer(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 12)
    upstream = made.land({"a.py": numbered(20, l12="upstream()"), "b.py": BASE})
    both = numbered(20, l5="first_try()", l12="upstream()")
    merge = made.commit({"a.py": both, "b.py": BASE}, made.first, upstream)
    made.pull("push", made.first, merge)
    assert only(made.links_of(remark)).detail == "changed_by_others"


def test_a_merge_that_resolves_a_conflict_is_no_answer(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5, text="Rename first_try.")
    upstream = made.land({"a.py": numbered(20, l5="upstream()"), "b.py": BASE})
    resolved = {"a.py": numbered(20, l5="both()"), "b.py": BASE}
    merge = made.commit(resolved, made.first, upstream)
    made.pull("push", made.first, merge)
    suggestion = made.remark(made.first, "a.py", 5, replacement="both()\n")
    assert only(made.links_of(remark)).detail == "changed_by_others"
    assert only(made.links_of(suggestion)).detail == "changed_by_others"


def test_a_lost_head_is_a_named_gap(made: MadeChanges) -> None:
    remark = made.remark("f" * 40, "a.py", 5)
    made.pull("force_push", "f" * 40, made.first)
    gaps = {each.head: each.gap for each in made.units()[0].iterations}
    assert gaps["f" * 40] == "lost_head" and gaps[made.first] == ""
    assert (only(made.links_of(remark)).state, only(made.links_of(remark)).detail) == (
        "unknown",
        "missing_object",
    )


def test_replies_and_trailers_are_rung_4(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 12)
    sha = pushed(made, {"a.py": numbered(20, l5="second()")}, message="fixup! A commit")
    made.remark(made.first, "a.py", 12, text=f"Done in {sha[:9]}.", actor="ann", parents=[remark.subject])
    assert states(made.links_of(remark)) == [("answered", 4, f"commit:{sha}")]
    assert only(made.links_of(f"commit:{made.first}")).method == "citation.fixup"
    revert = made.land({"a.py": BASE}, message=f'Revert "A commit"\n\nThis reverts commit {made.first}.')
    assert (f"commit:{revert}", "citation.revert") in [
        (each.target, each.method) for each in made.links_of(f"commit:{made.first}")
    ]


def test_a_reply_that_names_an_earlier_commit_is_no_answer(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 12)
    made.remark(made.first, "a.py", 12, text=f"This comes from {made.first[:9]}.", parents=[remark.subject])
    assert only(made.links_of(remark)).state == "unknown"


@pytest.mark.parametrize(
    ("reply", "state"),
    [("Done in {}.", "answered"), ("See https://github.com/o/n/blob/{}/a.py#L1", "unknown")],
)
def test_an_address_of_a_file_cites_no_commit(made: MadeChanges, reply: str, state: str) -> None:
    remark = made.remark(made.first, "a.py", 12)
    sha = pushed(made, {"a.py": numbered(20, l5="second()")})
    made.remark(made.first, "a.py", 12, text=reply.format(sha), parents=[remark.subject])
    assert only(made.links_of(remark)).state == state


@pytest.mark.parametrize(("again", "rung"), [("success", 5), ("failure", None)])
def test_a_check_that_turns_green_is_rung_5(made: MadeChanges, again: str, rung: int | None) -> None:
    failed = made.pull("check", made.first, text="tests", state="failure")
    sha = pushed(made, {"a.py": numbered(20, l5="second()")})
    made.pull("check", sha, text="lint", state="success")
    made.pull("check", sha, text="tests", state=again)
    link = only(made.links_of(failed))
    assert (link.rung, link.target) == (rung, f"commit:{sha}" if rung else "")


def test_a_check_with_both_results_at_one_commit_proves_nothing(made: MadeChanges) -> None:
    failed = made.pull("check", made.first, text="tests", state="failure")
    made.pull("check", made.first, text="tests", state="success")
    sha = pushed(made, {"a.py": numbered(20, l5="second()")})
    made.pull("check", sha, text="tests", state="success")
    assert only(made.links_of(failed)).state == "unknown"


def test_a_closing_keyword_is_rung_6_and_says_whether_it_reached_the_default_branch(
    made: MadeChanges,
) -> None:
    sha = pushed(made, {"a.py": BASE}, message="Fixes: #7")
    assert only(made.links_of("issue:7")).method == "closing_keyword.not_on_default_branch"
    merged(made, sha)
    link = only(made.links_of("issue:7"))
    assert (link.method, link.target, link.detail) == ("closing_keyword", f"commit:{sha}", "Fixes: #7")


def test_lines_that_nothing_changes_until_the_merge_are_rung_0(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    sha = pushed(made, {"a.py": ["# above", *numbered(20, l5="first_try()", l15="later()")]})
    assert only(made.links_of(remark)).detail == "not_merged"
    merged(made, sha)
    link = only(made.links_of(remark))
    assert (link.state, link.rung, link.target) == ("unchanged", 0, f"commit:{made.main}")
    answers = {each.id: each.resolution for each in with_resolution(made.feedback(), made.links())}
    assert answers[remark.id] == "unchanged"


def test_a_change_next_to_the_lines_leaves_it_open(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    lines = numbered(20, l5="first_try()")
    sha = pushed(made, {"a.py": [*lines[:5], "check_first()", *lines[5:]]})
    merged(made, sha)
    assert only(made.links_of(remark)).detail == "changed_next_to"


def test_a_reply_that_claims_a_change_leaves_it_open(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    made.remark(made.first, "a.py", 5, parents=[remark.subject], text="Done, thanks.", actor="ann")
    merged(made, made.first)
    assert only(made.links_of(remark)).detail == "reply_claims_change"


def test_a_remark_after_the_merge_could_change_nothing(made: MadeChanges) -> None:
    merged(made, made.first)
    remark = made.remark(made.first, "a.py", 5)
    assert only(made.links_of(remark)).detail == "remark_after_merge"


def test_a_squash_that_changes_the_lines_is_not_unchanged(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    made.land({"a.py": numbered(20, l5="edited_at_merge()")}, message="Change five (#1)")
    assert made.units()[0].outcome == "merged"
    assert only(made.links_of(remark)).detail == "changed_at_merge"


def test_a_whole_file_remark_is_unknown(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 0)
    pushed(made, {"a.py": BASE})
    assert only(made.links_of(remark)).detail == "whole_file"


@pytest.mark.parametrize("text", ["Please change this.", "Please fix the indentation."])
def test_white_space_answers_only_a_remark_about_it(made: MadeChanges, text: str) -> None:
    remark = made.remark(made.first, "a.py", 5, text=text)
    sha = pushed(made, {"a.py": numbered(20, l5="    first_try( )  ")})
    merged(made, sha)
    assert only(made.links_of(remark)).rung == (3 if "indent" in text else 0)


def test_a_moved_line_is_followed(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    lines = numbered(20, l5="first_try()")
    moved = [*lines[:4], *lines[5:12], lines[4], *lines[12:]]
    middle = pushed(made, {"a.py": moved})
    merged(made, middle)
    link = only(made.links_of(remark))
    assert link.state == "unchanged" and link.before is not None and link.before.first == 12


def test_the_same_text_elsewhere_does_not_hide_a_removal(made: MadeChanges) -> None:
    twice = numbered(20, l5="first_try()", l15="first_try()")
    head = made.commit({"a.py": twice, "b.py": BASE}, made.first)
    made.pull("push", made.first, head)
    remark = made.remark(head, "a.py", 5)
    last = made.commit({"a.py": twice[:4] + twice[5:], "b.py": BASE}, head)
    made.pull("push", head, last)
    assert states(made.links_of(remark)) == [("answered", 3, f"commit:{last}")]


def test_a_change_that_a_reviewer_had_already_seen_is_no_answer(made: MadeChanges) -> None:
    sha = pushed(made, {"a.py": numbered(20, l5="second()")})
    remark = made.remark(made.first, "a.py", 5)
    link = only(made.links_of(remark))
    assert (link.state, link.detail) == ("unknown", "changed_before_remark")
    assert sha


def test_own_lines_rewritten_without_a_remark_are_a_self_revision(made: MadeChanges) -> None:
    sha = pushed(made, {"a.py": numbered(20, l5="second()", l9="own()")})
    link = only([each for each in made.links() if each.state == "self_revision"])
    assert (link.rung, link.source, link.target) == (None, f"commit:{made.first}", f"commit:{sha}")
    assert link.before is not None and (link.before.first, link.before.last) == (5, 5)


def test_own_lines_rewritten_after_a_remark_are_none(made: MadeChanges) -> None:
    made.remark(made.first, "a.py", 5)
    pushed(made, {"a.py": numbered(20, l5="second()")})
    assert not [each for each in made.links() if each.state == "self_revision"]


def test_lines_of_the_base_are_no_own_lines(made: MadeChanges) -> None:
    pushed(made, {"a.py": numbered(20, l5="first_try()", l6="x()", l12="y()")})
    assert not [each for each in made.links() if each.state == "self_revision"]


def test_links_have_unique_ids_and_are_equal_when_made_again(made: MadeChanges) -> None:
    made.remark(made.first, "a.py", 5)
    pushed(made, {"a.py": numbered(20, l5="second()")}, message="Fix #3, fix #4")
    again = made.links()
    assert again == made.links() and len({each.id for each in again}) == len(again) > 2


def test_blame_names_the_author_of_removed_code_before_the_issue(made: MadeChanges) -> None:
    slip = made.land({"a.py": numbered(20, l8="slip()"), "b.py": BASE})
    issue = made.add("issue_opened", "issue:7", text="It breaks")
    late = made.land({"a.py": numbered(20, l8="slip()", l15="late()", l16="# late"), "b.py": BASE})
    fix = made.land({"a.py": numbered(20, l16="x"), "b.py": BASE}, message="Fix #7")
    weak = [each for each in made.links() if each.rung == 7]
    assert [(each.source, each.target, each.weak, each.detail) for each in weak] == [
        (f"commit:{slip}", f"commit:{fix}", True, issue.subject)
    ]
    assert late


def test_blame_needs_the_date_of_the_issue(made: MadeChanges) -> None:
    made.land({"a.py": numbered(20, l8="slip()"), "b.py": BASE})
    made.land({"a.py": BASE, "b.py": BASE}, message="Fix #7")
    assert not [each for each in made.links() if each.rung == 7]


class CountedObjects(CloneObjects):
    """Counts the differences that are read."""

    count = 0

    def changes(self, old: str, new: str) -> list[FileDiff]:
        self.count += 1
        return super().changes(old, new)


class MemoryCache(dict[str, list[EvidenceLink]]):
    """Links in memory."""

    def put(self, key: str, links: list[EvidenceLink]) -> None:
        self[key] = links


def test_kept_links_are_made_again_only_for_pull_requests_that_changed(made: MadeChanges) -> None:
    sha = pushed(made, {"a.py": numbered(20, l5="second()")})
    other = made.commit({"a.py": numbered(20, l5="other()")}, made.first)
    made.pull("push", other, number=2)
    cache, objects = MemoryCache(), CountedObjects(made.path)

    def run() -> tuple[int, list[EvidenceLink]]:
        before = objects.count
        found = list(links(made.known(), made.units(), made.feedback(), objects, kept=cache))
        return objects.count - before, found

    first = run()
    assert first[0] > 0 and run() == (0, first[1])
    last = made.commit({"a.py": numbered(20, l5="third()")}, sha)
    made.pull("push", sha, last)
    assert 0 < run()[0] == 3


def test_a_link_has_the_measured_precision_of_its_method_or_none(made: MadeChanges) -> None:
    remark = made.remark(made.first, "a.py", 5)
    pushed(made, {"a.py": numbered(20, l5="second()")}, message="Fix #3")
    tracked = only(made.links_of(remark))
    assert tracked.confidence is not None and 0.9 < tracked.confidence < 1
    assert only(made.links_of("issue:3")).confidence is None
    assert measured_precision("line_tracking.heads") == measured_precision("line_tracking")
    assert measured_precision("platform.resolved_outdated") is None

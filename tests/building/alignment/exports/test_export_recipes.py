"""Recipes of training exports on records: which become rows, and the reason of each that does not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.alignment.exports.agent import agent_messages
from benchwright.building.alignment.exports.commits import comment_writing, commit_messages, without_trailers
from benchwright.building.alignment.exports.discussions import issue_answers, iterations
from benchwright.building.alignment.exports.drafts import repaired_drafts
from benchwright.building.alignment.exports.material import Material
from benchwright.building.alignment.exports.refine import addressed, refine, review
from benchwright.building.alignment.exports.release_tables import AlignmentRelease
from benchwright.building.alignment.records import LineRange
from benchwright.interop.training.row_types import TrainingRow
from benchwright.records import Drop
from benchwright.sources.event_maker import excerpt
from benchwright.sources.events import FilePatch
from kit.made_alignment import (
    DOCS,
    FIRST,
    FIX,
    OTHER,
    REPO,
    commit,
    drafts,
    event,
    events,
    link,
    made_release,
    remark,
    trajectories,
)

Recipe = Callable[[Material], Iterator[TrainingRow | Drop]]


def made(recipe: Recipe, folder: Path, **tables: Any) -> tuple[list[TrainingRow], Counter[str]]:
    """Rows, and drops by reason."""
    found = list(recipe(AlignmentRelease(made_release(folder / "release", **tables))))
    rows = [each for each in found if isinstance(each, TrainingRow)]
    return rows, Counter(each.reason for each in found if isinstance(each, Drop))


def one_hunk(folder: Path, **tables: Any) -> Counter[str]:
    """The drops of `refine` for one remark."""
    rows, dropped = made(refine, folder, feedback=[remark(1, "Fix it.")], **tables)
    return dropped if not rows else Counter(row=len(rows))


def test_refine_has_the_hunk_before_and_after_the_linked_change(tmp_path: Path) -> None:
    rows, dropped = made(refine, tmp_path)
    first = next(row for row in rows if row.evidence == "link:1")

    assert first.completion[0].content == "```\nimport os\ndef weigh(x):\n```"
    assert first.rejected[0].content == "```\nimport os\nimport sys\ndef weigh(x):\n```"
    assert "about the line `import sys`" in first.prompt[0].content
    assert (first.rung, first.sha, first.licence) == (3, FIX, "MIT")
    assert dropped == {"not_answered": 3, "weak_evidence": 1, "bot": 1, "own_change": 1}


def test_an_applied_suggestion_needs_no_patch(tmp_path: Path) -> None:
    """The remarked lines are at the end of the hunk, and the suggestion replaced them."""
    rows, _ = made(refine, tmp_path)
    applied = next(row for row in rows if row.rung == 1)

    assert (applied.rejected[0].content, applied.completion[0].content) == (
        "```\nimport sys\n```",
        "```\nimport sys as system\n```",
    )


def test_a_hunk_that_cannot_be_shown_is_a_drop(tmp_path: Path) -> None:
    """Without a patch, with several hunks at the lines, with added lines only, with white space only."""
    two = "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@\n-c\n+d"
    patches = {
        "several_hunks": two,
        "only_added_lines": "@@ -0,0 +1 @@\n+a",
        "only_white_space": "@@ -1 +1 @@\n-a\n+ a",
    }
    everywhere = LineRange(commit=FIX, path="scales.py", first=1, last=99)

    assert one_hunk(tmp_path / "none", changes=[]) == {"no_patch": 1}
    for reason, patch in patches.items():
        change = FilePatch(repo=REPO, sha=FIX, path="scales.py", patch=patch)
        dropped = one_hunk(tmp_path / reason, changes=[change], links=[link(1, after=everywhere)])
        assert dropped == {reason: 1}


def test_the_strongest_link_of_a_remark_counts(tmp_path: Path) -> None:
    links = [link(1, rung=7, weak=True), link(1, rung=3, id="strong")]
    rows, _ = made(refine, tmp_path, feedback=[remark(1, "Fix it.")], links=links)

    assert [(row.rung, row.evidence) for row in rows] == [(3, "strong")]


def test_labels_of_remarks_come_from_rungs(tmp_path: Path) -> None:
    """True on rungs 1 to 4, false on rung 0 alone, no row for weak or unknown outcomes."""
    rows, dropped = made(addressed, tmp_path)

    assert {row.evidence: row.label for row in rows if row.repo == REPO} == {
        "link:1": True,
        "link:2": True,
        "link:3": False,
    }
    assert dropped == {"outcome_unknown": 2, "weak_evidence": 1, "bot": 1, "own_change": 1}


def test_an_unchanged_remark_with_a_weak_answer_has_no_label(tmp_path: Path) -> None:
    links = [link(1, "unchanged", 0), link(1, rung=6, id="keyword")]
    rows, dropped = made(addressed, tmp_path, feedback=[remark(1, "Fix it.")], links=links)

    assert (rows, dropped) == ([], {"weak_evidence": 1})


def test_review_leaves_out_praise(tmp_path: Path) -> None:
    rows, dropped = made(review, tmp_path)

    assert dropped["not_actionable"] == 1
    assert "+import sys" in rows[0].prompt[0].content
    assert rows[0].completion[0].content == "This import is not used. Remove it."


def test_a_long_hunk_is_shown_from_its_end(tmp_path: Path) -> None:
    """In a new file the hunk of a remark begins with the first line of the file."""
    hunk = "\n".join(["@@ -0,0 +1,9999 @@", *(f"+line {number}" for number in range(9999))])
    [row], dropped = made(review, tmp_path, feedback=[remark(1, "Shorten it.", hunk=hunk)])
    shown = row.prompt[0].content.split("```")[1].strip().split("\n")

    assert (shown[0], shown[-1], dropped) == ("+line 9939", "+line 9998", {})


def test_commit_messages_have_no_trailers(tmp_path: Path) -> None:
    rows, dropped = made(commit_messages, tmp_path)

    assert rows[0].completion[0].content == "Weigh things by their mass"
    assert "--- a/scales.py\n+++ b/scales.py\n@@ -1,2 +1,3 @@" in rows[0].prompt[0].content
    assert dropped == {"short_message": 1}


def test_a_commit_with_a_file_without_patch_is_a_drop(tmp_path: Path) -> None:
    """A message about changes that are not shown would be a guess; so are merges and bots left out."""
    whole = commit(1, FIRST, "Weigh things by their mass")
    given = [
        msgspec.structs.replace(whole, id="lost", subject="commit:" + "9" * 40),
        msgspec.structs.replace(whole, id="merge", heads=[FIRST, FIX]),
        msgspec.structs.replace(whole, id="bot", bot=True),
    ]
    rows, dropped = made(commit_messages, tmp_path, events=given)

    assert (rows, dropped) == ([], {"no_patch": 1, "merge_commit": 1, "bot": 1})


def test_trailers_end_a_message() -> None:
    """A last paragraph with a sentence is not one of trailers, and neither is the subject."""
    assert without_trailers("Do it\n\nSigned-off-by: a\nReviewed-by: b") == "Do it"
    assert without_trailers("Do it\n\nNote: a\nand more") == "Do it\n\nNote: a\nand more"
    assert without_trailers("Fix: it") == "Fix: it"


def test_comment_writing_takes_hunks_that_only_add_lines(tmp_path: Path) -> None:
    rows, dropped = made(comment_writing, tmp_path)

    assert [(row.sha, row.completion[0].content) for row in rows] == [
        (DOCS, "```\ndef weigh(x):\n    # The unit is grams.\n    return x\n```")
    ]
    assert dropped == {}
    edited = FilePatch(repo=REPO, sha=DOCS, path="scales.py", patch="@@ -1,2 +1,3 @@\n-# a\n+# b\n+# c\n x")
    assert made(comment_writing, tmp_path / "edited", changes=[edited]) == ([], {"replaces_lines": 1})


def test_issue_answers_are_those_of_maintainers(tmp_path: Path) -> None:
    rows, dropped = made(issue_answers, tmp_path)

    assert [(row.prompt[0].content, row.completion[0].content) for row in rows] == [
        ("Which unit does `weigh` return?", "Grams: see the docs.")
    ]
    assert dropped == {"not_a_maintainer": 1}


def test_one_issue_with_two_answers_has_two_rows(tmp_path: Path) -> None:
    more = event("comment", 13, parents=["issue:1"], text="Kilograms since 2.0.", role="member", actor="p9")
    rows, _ = made(issue_answers, tmp_path, events=[*events(), more])

    assert len(rows) == 2 == len({row.id for row in rows})


def test_iterations_have_a_label_each(tmp_path: Path) -> None:
    """The first was objected to and changed, the second was merged."""
    rows, dropped = made(iterations, tmp_path)

    assert [row.labels for row in rows] == [[False, True]]
    assert all("@@" in step for step in rows[0].steps)
    assert dropped == {"one_iteration": 1}


def test_an_iteration_without_an_outcome_leaves_the_trajectory_out(tmp_path: Path) -> None:
    """Also a red check decides; a lost head does not."""
    red = event("check", 14, state="failure", heads=[FIRST])
    merged = trajectories()[0]
    lost = [msgspec.structs.replace(merged.iterations[0], gap="lost_head"), merged.iterations[1]]
    gap = msgspec.structs.replace(merged, iterations=lost)

    assert made(iterations, tmp_path / "a", links=[])[1]["outcome_unknown"] == 1
    assert len(made(iterations, tmp_path / "b", links=[], events=[*events(), red])[0]) == 1
    assert made(iterations, tmp_path / "c", trajectories=[gap]) == ([], {"lost_head": 1})


def test_sessions_are_messages_with_calls_and_results(tmp_path: Path) -> None:
    [row], _ = made(agent_messages, tmp_path, events=events())
    calls = [each.tool_calls[0] for each in row.completion if each.tool_calls]
    results = [each.tool_call_id for each in row.completion if each.role == "tool"]

    assert [each.role for each in row.completion][:3] == ["user", "assistant", "tool"]
    assert [each.function.name for each in calls] == ["run", "edit", "run_tests"]
    assert [each.id for each in calls] == results
    assert [each["function"]["name"] for each in row.tools] == ["edit", "run", "run_tests"]


def test_system_messages_and_the_end_of_a_session(tmp_path: Path) -> None:
    """An instruction of the system stays one; the note of the end is not a call."""
    session = {"pull": "session:1", "subject": "session:1"}
    system = event("comment", 1, **session, text="Use tools.", state="system")
    end = event("command", 30, **session, state="ended: submitted")
    [row], _ = made(agent_messages, tmp_path, events=[system, *events(), end])

    assert [each.role for each in row.completion][:2] == ["system", "user"]
    assert len([each for each in row.completion if each.tool_calls]) == 3


def test_a_session_without_a_task_is_a_drop(tmp_path: Path) -> None:
    given = [each for each in events() if each.pull == "session:1" and each.kind != "comment"]

    assert made(agent_messages, tmp_path, events=given) == ([], {"no_task": 1})


def test_a_split_and_a_licence_are_those_of_the_repository(tmp_path: Path) -> None:
    """Feedback has no licence of its own."""
    rows, _ = made(review, tmp_path)

    assert {(row.repo, row.split, row.licence) for row in rows} == {
        (REPO, "train", "MIT"),
        (OTHER, "test", "MIT"),
    }


def test_a_row_has_the_address_of_its_event(tmp_path: Path) -> None:
    """Feedback has none, its event has."""
    spoken = event("remark", 15, id=f"github:{REPO}:remark:1", url="https://example.org/1")
    rows, _ = made(review, tmp_path, events=[spoken], feedback=[remark(1, "Fix it.")])

    assert [row.url for row in rows] == ["https://example.org/1"]


def test_a_failed_draft_and_the_repaired_one_are_a_row(tmp_path: Path) -> None:
    """Of a build whose drafts were executed. What passed at once or never is a drop."""
    [row], _ = made(repaired_drafts, tmp_path)
    first, failed, verdict, good, passed = drafts()

    assert [each.content for each in row.prompt][:2] == [first.text, failed.text]
    assert "y is not defined" in row.prompt[2].content
    assert (row.completion[0].content, row.rejected[0].content) == (good.text, failed.text)
    for name, given in {
        "passed_at_once": [first, good, passed],
        "not_repaired": [first, failed, verdict],
    }.items():
        assert made(repaired_drafts, tmp_path / name, events=given) == ([], {name: 1})


def test_a_guarded_session_is_one_of_the_test_split(tmp_path: Path) -> None:
    """The export leaves it out unless tests are allowed."""
    [row], _ = made(repaired_drafts, tmp_path, events=drafts(guard="canary"))

    assert row.split == "test"


def test_a_cut_draft_is_a_drop(tmp_path: Path) -> None:
    """Long texts of events are cut in the middle."""
    given = drafts()
    given[3] = msgspec.structs.replace(given[3], text=excerpt("x" * 99, 20))

    assert made(repaired_drafts, tmp_path, events=given) == ([], {"too_long": 1})

"""Items for labelling links: what judges see, what they do not, and the projects that hold them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.alignment.label_project import (
    LINKS,
    keep_votes,
    read_label_project,
    sampled_links,
    write_label_project,
)
from benchwright.building.alignment.link_items import (
    MOST_LINES,
    LabelledLink,
    change_of,
    link_items,
    split_hunks,
)
from benchwright.building.alignment.records import LineRange
from benchwright.errors import UsageError
from benchwright.judges.people.records import JudgedItem, Vote
from benchwright.records import Drop
from kit.made_alignment import FIX, FIX_PATCH, REPO, link, links, remark

HEAD = "@@ -1,2 +1,3 @@"


def _patch(repo: str, sha: str, path: str) -> str:
    return FIX_PATCH if (repo, sha, path) == (REPO, FIX, "scales.py") else ""


def _pairs() -> list[tuple[LabelledLink, JudgedItem]]:
    remarks = {each.id: each for each in (remark(1, "Not used. Remove it."), remark(5, "Hm."))}
    return [each for each in link_items(links(), remarks, _patch) if not isinstance(each, Drop)]


def test_an_item_shows_the_remark_the_lines_and_the_change_but_no_rung() -> None:
    known, item = _pairs()[0]

    assert "Not used. Remove it." in item.question
    assert "`scales.py`, line 2" in item.question
    assert item.code == remark(1, "").hunk
    assert item.answers[0].text == FIX_PATCH.rstrip("\n")
    assert (known.rung, known.item) == (3, item.item)
    shown = msgspec.json.encode(msgspec.structs.replace(item, item="", task_id=""))
    assert not any(word in shown for word in (b"rung", b"line_tracking", REPO.encode(), b"p2"))


def test_links_without_a_remark_or_a_change_are_counted_by_reason() -> None:
    remarks = {each.id: each for each in (remark(1, "Remove it."), remark(2, "Name it."), remark(3, "Why?"))}
    found = [each.reason for each in link_items(links(), remarks, _patch) if isinstance(each, Drop)]

    assert sorted(found) == ["no_change", "no_remark", "no_remark", "not_answered", "not_answered"]


def test_the_hunks_near_the_lines_are_shown_and_a_long_change_is_cut() -> None:
    far = "@@ -90,1 +90,1 @@\n-far\n+off\n"
    long = f"{HEAD}\n" + "".join(f"+line {number}\n" for number in range(MOST_LINES + 5))
    before = LineRange(commit=FIX, path="scales.py", first=2, last=2)
    own = msgspec.structs.replace(link(1), before=before, after=None)

    near = change_of(own, remark(1, "x"), lambda *_: FIX_PATCH + far)
    cut = change_of(own, remark(1, "x"), lambda *_: long)
    whole = change_of(msgspec.structs.replace(own, before=None), remark(1, "x"), lambda *_: FIX_PATCH + far)

    assert near == FIX_PATCH.rstrip("\n")
    assert cut.splitlines()[-1] == "… 6 more lines"
    assert far.strip() in whole


def test_a_suggestion_cannot_leave_its_fence() -> None:
    hostile = remark(1, "Name it.", replacement="````\n# heading\n```")
    item = next(iter(link_items([link(1)], {hostile.id: hostile}, _patch)))

    assert not isinstance(item, Drop)
    assert item[1].question.endswith("`````suggestion\n````\n# heading\n```\n`````")


@given(st.lists(st.text("-+ ab", min_size=1, max_size=6), max_size=8))
def test_splitting_hunks_loses_no_line(lines: list[str]) -> None:
    written = [HEAD, *lines, HEAD, *lines]

    assert [line for hunk in split_hunks("\n".join(written)) for line in hunk] == written


def test_a_sample_depends_on_the_seed_alone(tmp_path: Path) -> None:
    pairs = [(msgspec.structs.replace(known, item=str(n)), msgspec.structs.replace(item, item=str(n)))
             for n in range(50) for known, item in _pairs()[:1]]  # fmt: skip
    one = sampled_links(pairs, sample=10, seed="1")

    assert sampled_links(reversed(pairs), sample=10, seed="1").items == one.items
    assert sampled_links(pairs, sample=10, seed="2").items != one.items
    assert [each.item for each in one.links] == [each.item for each in one.items]


def test_a_project_is_read_back_and_refuses_other_links(tmp_path: Path) -> None:
    project = sampled_links(_pairs(), sample=None, seed="1")
    write_label_project(tmp_path / "labels", project)
    before = (tmp_path / "labels" / LINKS).read_bytes()
    write_label_project(tmp_path / "labels", project)

    assert read_label_project(tmp_path / "labels") == project
    assert (tmp_path / "labels" / LINKS).read_bytes() == before
    with pytest.raises(UsageError, match="project of other links"):
        write_label_project(tmp_path / "labels", project._replace(items=project.items[:0]))
    with pytest.raises(UsageError, match="not a project of links"):
        read_label_project(tmp_path)


def test_a_later_vote_of_a_judge_replaces_the_earlier_one(tmp_path: Path) -> None:
    project = sampled_links(_pairs(), sample=None, seed="1")
    write_label_project(tmp_path, project)
    vote = Vote(
        vote="v",
        item=project.items[0].item,
        task_id="t",
        kind="link",
        field="answered",
        value="yes",
        judge="anna",
    )
    kept = keep_votes(tmp_path, project, [vote])
    kept = keep_votes(tmp_path, kept, [msgspec.structs.replace(vote, value="no")])

    assert [each.value for each in kept.votes] == ["no"]
    assert read_label_project(tmp_path).votes == kept.votes

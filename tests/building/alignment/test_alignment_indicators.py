"""Indicators: shares with counts and intervals; what has no data is not measured."""

from __future__ import annotations

from msgspec.structs import replace

from benchwright.building.alignment.indicators import (
    functionality,
    interpretability,
    label_agreement,
    reliability,
)
from benchwright.building.alignment.link_items import LabelledLink
from benchwright.building.alignment.records import LineRange
from benchwright.judges.people.records import Vote
from benchwright.stats.intervals import wilson
from kit.made_alignment import FIRST, FIX, feedback, link, links


def _known(item: str, rung: int) -> LabelledLink:
    return LabelledLink(
        item=item, link=f"l{item}", repo="r", rung=rung, method="m", source="s", target=f"commit:{FIX}"
    )


def _vote(item: str, value: str, judge: str = "anna") -> Vote:
    return Vote(
        vote=f"{judge}{item}",
        item=item,
        task_id="t",
        kind="link",
        field="answered",
        value=value,
        judge=judge,
    )


def test_precision_of_a_rung_is_the_share_of_yes_among_decided_links() -> None:
    known = [_known(str(number), 3) for number in range(10)]
    votes = [_vote(str(number), "no" if number == 0 else "yes") for number in range(8)]
    votes += [_vote("8", "cannot_tell"), _vote("9", "yes"), _vote("9", "no", "boris")]
    found = {each.name: each for each in reliability(known, votes)}

    assert (found["3"].hits, found["3"].n, found["3"].unsure) == (7, 8, 2)
    assert found["3"].share == wilson(7, 8)
    assert found["1–3"].share == wilson(7, 8)
    assert (found["1"].state, found["1"].share, found["1"].n) == ("not measured", None, 0)
    assert found["1"].why


def test_an_unlabelled_link_and_a_vote_on_another_item_do_not_count() -> None:
    found = {each.name: each for each in reliability([_known("1", 2), _known("2", 2)], [_vote("1", "yes")])}

    assert (found["2"].hits, found["2"].n) == (1, 1)
    assert all(each.share is None for each in reliability([_known("1", 2)], [_vote("x", "yes")]))


def test_a_link_on_two_rungs_counts_once_on_each() -> None:
    found = {each.name: each for each in reliability([_known("1", 1), _known("1", 3)], [_vote("1", "yes")])}

    assert (found["1"].n, found["3"].n, found["1–3"].n) == (1, 1, 1)


def test_agreement_counts_links_and_people() -> None:
    votes = [_vote(str(number), "yes" if number else "no", who) for number in range(6) for who in ("a", "b")]
    found = label_agreement(votes)

    assert found is not None
    assert (found.links, found.people, found.figures["cohen"]) == (6, 2, 1.0)
    assert label_agreement([]) is None


def test_applied_built_and_tested_are_measured_only_with_data() -> None:
    applied, built, tested = functionality(links(), feedback(), {FIX: True, FIRST: False}, {})

    assert (applied.hits, applied.n) == (1, 1)
    assert (tested.hits, tested.n) == (1, 1)
    assert (built.state, built.why) == ("not measured", "no answering commit was built")


class _Clone:
    def has_commit(self, commit: str) -> bool:
        return commit in (FIRST, FIX)

    def line_count(self, commit: str, path: str) -> int | None:
        return 3 if path == "scales.py" else None


def test_evidence_resolves_if_commits_and_lines_exist() -> None:
    lines = LineRange(commit=FIRST, path="scales.py", first=2, last=3)
    good = replace(link(1), before=lines)
    bad = [
        replace(good, before=replace(lines, last=4)),
        replace(good, before=replace(lines, path="other.py")),
        replace(good, target="commit:" + "0" * 40),
        replace(good, after=replace(lines, commit="0" * 40, first=2, last=1)),
    ]
    (found,) = interpretability([good, *bad, replace(good, state="unknown")], _Clone())

    assert (found.hits, found.n) == (1, 5)
    assert interpretability([good], None)[0].state == "not measured"
    assert interpretability([], _Clone())[0].why == "there is no answered link"

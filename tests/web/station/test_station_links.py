"""Labelling links in the station: the remark, the lines before and the change; yes, no or cannot tell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchwright.building.alignment.link_items import TRACK, link_items
from benchwright.judges.people.records import JudgedItem
from benchwright.records import Drop
from benchwright.web.core.database import Database
from benchwright.web.station.project_setup import ReadyItems
from kit.made_alignment import FIX_PATCH, link, remark
from kit.station_kit import Station, make


def _items() -> list[JudgedItem]:
    remarks = {each.id: each for each in (remark(1, "Not used. Remove it."), remark(5, "Hm."))}
    found = link_items([link(1), link(5, rung=7)], remarks, lambda *_: FIX_PATCH)
    return [each[1] for each in found if not isinstance(each, Drop)]


@pytest.fixture
def links(database: Database) -> Iterator[Station]:
    made = Station(database, ReadyItems(_items(), "link", TRACK))
    yield made
    made.served.close()


def test_the_page_shows_remark_lines_and_change(links: Station) -> None:
    text = links.member("ann").open()

    for part in ("Remark", "Lines before", "Change", "Did the change answer the remark?", "cannot tell"):
        assert part in text
    assert "-import sys" in text
    assert not any(word in text for word in ("rung", "line_tracking", "blame"))


@pytest.mark.postgresql
def test_a_label_is_a_vote_on_the_field_answered(links: Station) -> None:
    ann = links.member("ann")
    ann.open()
    ann.send(answered="yes")
    ann.send(answered="cannot_tell")

    assert sorted(vote.value for vote in links.votes()) == ["cannot_tell", "yes"]
    assert {(vote.field, vote.kind) for vote in links.votes()} == {("answered", "link")}


def test_the_same_items_find_the_same_project(database: Database) -> None:
    first = make(database, ReadyItems(_items(), "link", TRACK))
    second = make(database, ReadyItems(_items()[::-1], "link", TRACK))

    assert (second.project_id, second.is_new, first.items) == (first.project_id, False, 2)

"""Events out of parsed records: times in UTC, cleaned parts, limits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.event_maker import MAX_TEXT, EventMaker, checked, excerpt, utc_time
from benchwright.sources.events import FileVersion, RemarkPlace, RepoEvent
from kit.marking_cleaner import MarkingCleaner, drop_reasons, kinds

MAKER = EventMaker("records", "ours/scales", MarkingCleaner(), "MIT")


@pytest.mark.parametrize(
    ("given_time", "expected"),
    [
        ("2013-02-01 09:59:32.186000000", "2013-02-01T09:59:32Z"),
        ("2020-01-01T10:00:00-07:00", "2020-01-01T17:00:00Z"),
        ("2020-01-01", "2020-01-01T00:00:00Z"),
        ("2020-01-01T10:00:00 UTC", "2020-01-01T10:00:00Z"),
        ("1429747815 -0700", "2015-04-23T00:10:15Z"),
        (-5, "1969-12-31T23:59:55Z"),
        ("1969-07-20T20:17:40Z", "1969-07-20T20:17:40Z"),
        ("20200101", ""),
        ("0001-01-01T00:00:00+05:00", ""),
        ("2020-13-01", ""),
        (float("nan"), ""),
        (1e300, ""),
        (True, ""),
        (None, ""),
    ],
)
def test_times(given_time: object, expected: str) -> None:
    assert utc_time(given_time) == expected


@given(
    st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9990, 1, 1)),
    st.integers(min_value=-14 * 60, max_value=14 * 60),
)
def test_a_time_with_a_zone_is_that_instant(naive: datetime, minutes: int) -> None:
    moment = naive.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    found = datetime.fromisoformat(utc_time(moment.isoformat()))
    assert found == moment.astimezone(UTC).replace(microsecond=0)


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_none(text: str) -> None:
    found = utc_time(text)
    assert found == "" or utc_time(found) == found


def test_all_texts_and_people_are_cleaned() -> None:
    event = MAKER.event(
        "remark",
        "1",
        subject="remark:1",
        actor="ann",
        text="SECRET",
        replacement="x = SECRET",
        place=RemarkPlace(path="SECRET.py", commit="c", hunk="+SECRET"),
        files=[FileVersion(path="a.py", old_path="SECRET", status="renamed", added=1)],
    )
    assert "SECRET" not in repr(event) and event.actor == "person-0"
    assert event.id == "records:ours/scales:remark:1" and event.licence == "MIT"
    assert event.files[0].added == 1


def _long(length: int) -> RepoEvent:
    return MAKER.event("comment", "1", subject="comment:1", text="x" * length)


def test_a_text_above_the_limit_is_a_drop() -> None:
    made = checked(MAKER, iter([_long(MAX_TEXT), _long(MAX_TEXT + 1)]), "unit")
    found = list(made)
    assert kinds(found) == {"comment": 1} and drop_reasons(found) == {"text_too_long": 1}


@given(st.text(min_size=0, max_size=300), st.integers(min_value=8, max_value=200))
def test_an_excerpt_has_both_ends(text: str, limit: int) -> None:
    found = excerpt(text, limit)
    if len(text) <= limit:
        assert found == text
    else:
        assert found.startswith(text[: limit // 4]) and found.endswith(text[-(limit - limit // 4) :])
        assert "characters omitted" in found

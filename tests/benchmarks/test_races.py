"""The planted races: twenty that a build would try, each of its own, and read as a project."""

from __future__ import annotations

from collections import Counter

from benchmarks.race_pairs import RACES
from benchmarks.races import is_tagged, suite_of
from benchwright.lang.source import syntax_fault


def test_twenty_races_in_three_languages() -> None:
    """Each parses, is laid out with its one case, and would be executed twenty times."""
    assert Counter(each.lang for each in RACES) == {"Python": 8, "Go": 6, "Java": 6}
    assert len({each.name for each in RACES}) == 20
    for each in RACES:
        assert [syntax_fault(code, each.lang) for code in (each.focal, each.test)] == [None, None]
        assert (len(suite_of(each).cases), is_tagged(each)) == (1, True)

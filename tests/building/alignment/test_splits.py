"""Splits: by the root commit of a repository, then by time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from benchwright.building.alignment.release_rows import COMMITS, ReleaseRow
from benchwright.building.alignment.splits import _validation_starts, is_test, repository_groups

ROOTS = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.lists(st.sampled_from("123456"), max_size=3)
)


@given(ROOTS)
def test_repositories_with_a_common_root_are_one_group(roots: dict[str, list[str]]) -> None:
    groups = repository_groups(roots)
    assert set(groups) == set(roots)
    for first, mine in roots.items():
        for second, others in roots.items():
            if set(mine) & set(others):
                assert groups[first] == groups[second]


@given(ROOTS)
def test_the_order_does_not_matter(roots: dict[str, list[str]]) -> None:
    turned = {repo: mine[::-1] for repo, mine in reversed(roots.items())}
    assert repository_groups(turned) == repository_groups(roots)


def test_a_clone_without_roots_is_a_group_of_its_own() -> None:
    groups = repository_groups({"a/b": [], "c/d": []})
    assert groups["a/b"] != groups["c/d"]


def test_about_a_tenth_of_the_groups_is_for_tests() -> None:
    assert 60 <= sum(is_test(str(each)) for each in range(1000)) <= 140


def test_validation_begins_with_a_quarter() -> None:
    times = [f"20{year}-{month:02}-01T00:00:00Z" for year in (20, 21, 22) for month in range(1, 13)]
    rows = [ReleaseRow(table=COMMITS, id=at, repo="a/b", at=at) for at in times]
    assert _validation_starts(rows) == {"a/b": "2022-Q4"}
    assert _validation_starts(rows[:2]) == {}

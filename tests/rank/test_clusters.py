"""Groups of tasks, and the conditions for using the data set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchwright.rank.clusters import KEYS, choose_clusters, read_clusters
from benchwright.store.data_files import data_hash
from benchwright.store.runfolder import RunFolder
from kit.small_data import humaneval, humaneval_row, write

TASKS = [f"Small/{number}" for number in range(10)]


def by(key: str, *values: Any) -> list[dict[str, Any]]:
    return [{key: value} if value is not None else {} for value in values]


def run_of(place: Any, **changed: Any) -> RunFolder:
    """Write a run of an earlier version, which stored no tasks."""
    known = {} if "data" in changed else {"data": data_hash(place)}
    manifest = {"data": place and str(place), "identity": {"track": "humaneval", **known, **changed}}
    return RunFolder(Path("runs/old"), manifest)


@pytest.mark.parametrize("key", KEYS)
def test_each_key_can_name_the_groups(key):
    """Five groups of two tasks."""
    groups = [f"g{number // 2}" for number in range(10)]

    assert choose_clusters(by(key, *groups), TASKS) == (groups, key, "")


def test_the_first_key_that_serves_is_taken():
    """`repository` precedes `source`."""
    metas = [{"source": f"s{n // 2}", "repository": f"r{n // 2}"} for n in range(10)]

    assert choose_clusters(metas, TASKS).key == "repository"


def test_few_groups_are_kinds_and_no_sample_of_groups():
    """Two sources in ten tasks are no sample of sources: each task is its own group."""
    assert choose_clusters(by("source", *"aaaaabbbbb"), TASKS) == (TASKS, "", "")


def test_an_author_who_writes_cluster_is_believed():
    """`cluster` is used from two groups on."""
    assert choose_clusters(by("cluster", *"aaaaabbbbb"), TASKS).key == "cluster"


def test_a_key_with_one_task_each_makes_no_groups():
    """A separate template for each task is no clustering."""
    assert choose_clusters(by("template", *"abcdefghij"), TASKS).key == ""


def test_one_group_of_all_is_no_clustering():
    """A data set with a single `cluster` cannot be compared by clusters."""
    assert choose_clusters(by("cluster", *"aaaaaaaaaa"), TASKS).key == ""


def test_a_task_without_the_key_is_its_own_group():
    """Five groups of two, and one task in none of them."""
    metas = by("repo", "a", "a", "b", "b", "c", "c", "d", "d", "e", None)

    assert choose_clusters(metas, TASKS).names[-2:] == ["e", "Small/9"]


@pytest.mark.parametrize("value", [["x"], {"x": 1}, 1.5, True, "", "  "])
def test_values_that_name_nothing_are_passed_over(value):
    """Lists, objects, fractions, truth values and blanks form no groups."""
    assert choose_clusters(by("cluster", *[value] * 5, *"aabbc"), TASKS).names[0] == "Small/0"


def test_numbers_name_groups():
    """A repository may be given by its number."""
    assert choose_clusters(by("repo", 1, 1, 2, 2, 3, 3, 4, 4, 5, 5), TASKS).names[:3] == ["1", "1", "2"]


def test_read_from_the_data_set(tmp_path):
    """The groups of the requested tasks only."""
    rows = [humaneval_row(number, template=f"t{number // 2}") for number in range(10)]
    data = write(tmp_path / "tasks.jsonl", rows)
    expected = ([f"t{number // 2}" for number in range(1, 10)], "template", "")

    assert expected == read_clusters(run_of(data), TASKS[1:])


def test_another_data_set_in_its_place_is_not_believed(tmp_path):
    """Its content must be the content that was run."""
    rows = [humaneval_row(number, template=f"t{number // 2}") for number in range(10)]
    data = write(tmp_path / "tasks.jsonl", rows)

    found = read_clusters(run_of(data, data="0" * 64), TASKS)

    assert (found[:2], "has changed" in found.absent) == ((TASKS, ""), True)


@pytest.mark.parametrize("place", ["absent.jsonl", "hub:owner/name", "nul\0name", None, 7, ""])
def test_a_data_set_that_is_not_there(place):
    """A missing file, a hub's name, or an invalid text: each task is its own group, and no exception is
    raised."""
    found = read_clusters(run_of(place, data="x"), TASKS)

    assert (found[:2], found.absent.startswith("runs/old keeps no tasks")) == ((TASKS, ""), True)


def test_an_unknown_track_is_no_reason_to_stop(tmp_path):
    """The track's package is not installed: each task is its own group."""
    data = humaneval(tmp_path, tasks=10)

    found = read_clusters(run_of(data, track="not-installed"), TASKS)

    assert (found[:2], "not-installed" in found.absent) == ((TASKS, ""), True)


def test_a_data_set_without_groups_is_known_to_have_none(tmp_path):
    """The tasks' meta was read, so there are no groups, and the notes have no gap."""
    assert read_clusters(run_of(humaneval(tmp_path, tasks=10)), TASKS) == (TASKS, "", "")

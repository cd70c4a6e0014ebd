"""The test split of a release, and releases that may not be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.alignment.benchmark.split_release import SplitRelease
from benchwright.errors import DataError, UsageError
from kit.made_mining import LEARNT, REPO, answered, issue, release_folder, remark


def test_only_rows_of_the_split_are_read(tmp_path: Path) -> None:
    """And the licences of all repositories."""
    folder = release_folder(
        tmp_path / "r", events=issue(), feedback=[remark(1, 7, "No")], links=[answered(1, 7)]
    )
    release = SplitRelease(folder)

    assert release.repos == {REPO} and {each.repo for each in release.events()} == {REPO}
    assert [each.id for each in release.links()] == ["link:1"] and len(list(release.feedback())) == 1
    assert (release.licence(REPO), release.licence("none/such"), len(release.published()["manifest"])) == (
        "MIT",
        "",
        64,
    )


def test_a_repository_in_both_splits_is_refused(tmp_path: Path) -> None:
    """Its name is in the error."""
    folder = release_folder(tmp_path / "r", events=issue())
    events = folder / "data" / "events" / "made.jsonl"
    events.write_text(events.read_text().replace(LEARNT, REPO))
    with pytest.raises(DataError, match=f"rows of {REPO} are in the splits test and train"):
        SplitRelease(folder)


def test_a_release_without_the_split_is_refused(tmp_path: Path) -> None:
    """With the splits that it has."""
    with pytest.raises(DataError, match="no row is in the split test; its splits: train"):
        SplitRelease(release_folder(tmp_path / "r"))


def test_a_folder_that_is_no_release_is_refused(tmp_path: Path) -> None:
    """With the command that makes one."""
    with pytest.raises(UsageError) as caught:
        SplitRelease(tmp_path)

    assert "build alignment" in str(caught.value.hint)


def test_a_broken_record_has_its_place(tmp_path: Path) -> None:
    """File and line."""
    folder = release_folder(tmp_path / "r", events=issue())
    path = folder / "data" / "feedback" / "made.jsonl"
    path.write_text('{"repo": "ours/scales", "split": "test"}\n')
    with pytest.raises(DataError) as caught:
        list(SplitRelease(folder).feedback())

    assert (caught.value.line, str(path) in str(caught.value)) == (1, True)

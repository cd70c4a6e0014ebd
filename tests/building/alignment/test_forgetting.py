"""Forgetting and cleaning in a whole build: a byte search finds neither secrets nor the forgotten."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from benchwright.building.alignment.forgetting import forget
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.alignment.pipeline import AlignmentBuild, build
from benchwright.building.engine.recipe import MANIFEST
from benchwright.errors import UsageError
from benchwright.sources.cleaning.pseudonyms import FORGOTTEN
from benchwright.sources.cleaning.text_cleaner import TOMBSTONES, open_cleaner
from kit.people_history import ADA, BENS_WORDS, ENCODED, PLANTS, PeopleHistory, all_bytes, people_history

NAME = "acme/sums"
BEN = ("ben-hur", "ben@hur.org", "Ben Hur")


def built(out: Path, clone: PeopleHistory, *, filters: tuple[str, ...] = ()) -> AlignmentBuild:
    options = AlignmentOptions(sources=(str(clone.path),), name=NAME, filters=filters)
    return build(options, out, clean=open_cleaner(out))


def found(folder: Path, *texts: str) -> list[tuple[str, str]]:
    """The files below a folder that contain one of the texts, in any case."""
    return [
        (path.name, text)
        for path, content in all_bytes(folder)
        for text in texts
        if text.lower().encode() in content.lower()
    ]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished build, which each test copies."""
    folder = tmp_path_factory.mktemp("whole")
    built(folder / "out", people_history(folder / "clone"))
    return folder / "out"


@pytest.fixture
def out(tmp_path: Path, whole: Path) -> Path:
    """A copy of the build."""
    return shutil.copytree(whole, tmp_path / "out")


def test_no_planted_secret_is_in_the_build(out: Path) -> None:
    assert len({each.kind for each in PLANTS}) >= 30
    assert found(out, *(each.value for each in PLANTS), *ENCODED) == []
    assert found(out, "<secret:github>")


def test_no_person_is_in_the_build_by_name(out: Path) -> None:
    assert found(out, *ADA, "lowell.abbott", "@ben-hur", "ben@hur.org") == []


def test_the_forgotten_leave_no_trace(out: Path) -> None:
    known = {open_cleaner(out).person(each) for each in BEN}
    assert found(out, *known)
    done = forget(BEN, out)
    assert (done.events, done.patches) == (1, 1)
    traces = (*BEN, *known, BENS_WORDS, "4711 stripes")
    assert found(out, *traces) == []
    assert found(out, FORGOTTEN)
    assert found(out / "release", "Describe the sums in detail")


def test_a_later_build_does_not_bring_the_forgotten_back(tmp_path: Path) -> None:
    out, clone = tmp_path / "out", people_history(tmp_path / "clone")
    built(out, clone)
    known = {open_cleaner(out).person(each) for each in BEN}
    forget(BEN, out)
    clone.commit(("Ben Hur", "ben@hur.org"), "Return with news", news_md="news by ben-hur\n")
    clone.commit(ADA, "Ask @ben-hur about the news", faq_md="Ask ben-hur.\n")
    built(out, clone)
    assert found(out, *BEN, *known, BENS_WORDS, "Return with news") == []
    assert found(out / "release", f"Ask @{FORGOTTEN} about the news")


def test_the_request_is_stored_as_a_keyed_hash(out: Path) -> None:
    forget(BEN, out)
    stored = (out / TOMBSTONES).read_text()
    assert stored.count('"user"') == len(BEN)
    assert not any(each.lower() in stored.lower() for each in BEN)
    forget(BEN, out)
    assert (out / TOMBSTONES).read_text() == stored


def test_a_repository_is_forgotten(out: Path) -> None:
    done = forget(["Acme/Sums"], out)
    assert done.build is None
    assert found(out, NAME, "acme+sums", "sums", "zebra") == []
    assert not (out / "release").exists()


def test_an_owner_and_an_unknown_folder_are_refused(tmp_path: Path, out: Path) -> None:
    with pytest.raises(UsageError, match="owner"):
        forget(["acme"], out)
    with pytest.raises(UsageError, match="not the folder of a build"):
        forget(BEN, tmp_path / "none")


def test_nobody_else_is_changed(out: Path) -> None:
    manifest = json.loads((out / "release" / MANIFEST).read_text())
    done = forget(["nobody-known"], out)
    assert (done.events, done.patches, done.changed) == (0, 0, 0)
    assert done.build is not None
    assert done.build.manifest["files"] == manifest["files"]

"""Pages of a hub's list: entries that are none are named, the others stay as they came."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError
from benchwright.http_client import HttpReply
from benchwright.sources.hub.model_list import StoredPages, checked_page, complaint_about, plain_etag
from kit.made_hub import model

ENTRY = model("acme/tiny").entry


def _complaint(**changed: Any) -> str:
    return complaint_about(json.dumps({**ENTRY, **changed}).encode())


def test_good_entries_stay_as_they_are() -> None:
    """To the byte, further fields among them."""
    body = json.dumps([ENTRY, {"id": "bare", "extra": [1]}], separators=(",", ":")).encode()

    assert checked_page(body, unit="hub") == (body, [])


@pytest.mark.parametrize(
    "changed",
    [
        {"id": None},
        {"id": "../../etc/passwd"},
        {"id": 7},
        {"sha": "main"},
        {"sha": "../x"},
        {"lastModified": "yesterday"},
        {"tags": "license:mit"},
        {"tags": [1]},
        {"siblings": ["README.md"]},
        {"gated": []},
        {"pipeline_tag": {}},
    ],
)
def test_entries_that_are_none(changed: dict[str, Any]) -> None:
    """The library would fail at some of them, and write to strange places for others."""
    assert _complaint(**changed)
    assert not _complaint()
    body, [drop] = checked_page(json.dumps([{**ENTRY, **changed}, ENTRY]).encode(), unit="hub")
    assert (json.loads(body), drop.reason) == ([ENTRY], "entry_unreadable")


@pytest.mark.parametrize("body", [b"", b"{}", b'{"error": "x"}', b"[{", b"<html>", b"[" * 100_000, b"\xff"])
def test_bodies_that_are_no_page(body: bytes) -> None:
    """One error, with what was asked."""
    with pytest.raises(RunError, match="hub: not a list of models"):
        checked_page(body, unit="hub")


def test_one_deep_entry_spoils_itself_alone() -> None:
    """What is nested beyond reading is an entry that is none."""
    deep = '{"id": "a", "x": ' + "[" * 3000 + "]" * 3000 + "}"
    try:
        body, drops = checked_page(f"[{deep},{json.dumps(ENTRY)}]".encode(), unit="hub")
    except RunError:
        return  # a parser that gives up on the whole says so, which is the other right answer
    assert json.loads(body)[-1] == ENTRY
    assert len(drops) <= 1


@pytest.mark.parametrize("etag", ["", '"../../x"', '"a/b"', '"a\\b"', "x" * 300, '"a b"', '".."'])
def test_tags_that_name_no_file(etag: str) -> None:
    """The library names files by what the server sends as a tag."""
    assert plain_etag(etag) == ""
    assert plain_etag('W/"abc-1.gz"') == 'W/"abc-1.gz"'


def test_pages_on_disk(tmp_path: Path) -> None:
    """A page is found by its address; a damaged one is none; nothing of a request is kept."""
    pages = StoredPages(tmp_path / "pages")
    headers = {"link": "<x>", "etag": '"e"', "set-cookie": "secret"}
    kept = pages.keep("http://h/a", HttpReply(200, headers, b"[]"), now=5.0)

    assert pages.find("http://h/a") == kept
    assert (kept.headers, kept.etag) == ({"link": "<x>"}, '"e"')
    assert pages.find("http://h/b") is None
    assert pages.refresh(kept, now=9.0).fetched_at == 9.0
    [path] = (tmp_path / "pages").iterdir()
    path.write_bytes(path.read_bytes()[:20])
    assert pages.find("http://h/a") is None

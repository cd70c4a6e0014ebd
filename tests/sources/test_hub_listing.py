"""Pages of a hub's list: invalid entries are reported, the others are unchanged."""

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
    """Every byte is kept, including unknown fields."""
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
    """The library would fail on some of them, and write to unexpected paths for others."""
    assert _complaint(**changed)
    assert not _complaint()
    body, [drop] = checked_page(json.dumps([{**ENTRY, **changed}, ENTRY]).encode(), unit="hub")
    assert (json.loads(body), drop.reason) == ([ENTRY], "entry_unreadable")


@pytest.mark.parametrize("body", [b"", b"{}", b'{"error": "x"}', b"[{", b"<html>", b"[" * 100_000, b"\xff"])
def test_bodies_that_are_no_page(body: bytes) -> None:
    """One error, with the request."""
    with pytest.raises(RunError, match="hub: not a list of models"):
        checked_page(body, unit="hub")


def test_one_deep_entry_spoils_itself_alone() -> None:
    """An entry that is nested too deeply is invalid."""
    deep = '{"id": "a", "x": ' + "[" * 3000 + "]" * 3000 + "}"
    try:
        body, drops = checked_page(f"[{deep},{json.dumps(ENTRY)}]".encode(), unit="hub")
    except RunError:
        return  # a parser that refuses the whole page is right too
    assert json.loads(body)[-1] == ENTRY
    assert len(drops) <= 1


@pytest.mark.parametrize("etag", ["", '"../../x"', '"a/b"', '"a\\b"', "x" * 300, '"a b"', '".."'])
def test_tags_that_name_no_file(etag: str) -> None:
    """The library names files by the server's tag."""
    assert plain_etag(etag) == ""
    assert plain_etag('W/"abc-1.gz"') == 'W/"abc-1.gz"'


def test_pages_on_disk(tmp_path: Path) -> None:
    """A page is found by its address; a damaged one is ignored; no secret of a request is stored."""
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

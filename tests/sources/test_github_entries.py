"""Search replies as untrusted text: names, addresses, dates, sizes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import RunError
from benchwright.sources.github.search_pages import UNREAD, RepositoryFacts, clone_host, read_listing, refusal
from kit.made_github import entry

API = "https://api.github.com"
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 2**70) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def _body(*items: Any, total: Any = 1, incomplete: Any = False) -> bytes:
    return json.dumps({"total_count": total, "incomplete_results": incomplete, "items": items}).encode()


def _read(**changed: Any) -> RepositoryFacts:
    made = {"clone_url": "https://github.com/acme/sums.git", **entry("acme/sums"), **changed}
    return read_listing(_body(made), api=API).entries[0]


def test_a_repository() -> None:
    """All fields that a card and a manifest use."""
    assert _read() == RepositoryFacts(
        name="acme/sums",
        address="https://github.com/acme/sums.git",
        stars=50,
        pushed_at="2026-02-03T04:05:06Z",
        created_at="2015-03-04T05:06:07Z",
        licence="MIT",
        language="Go",
        default_branch="main",
    )


@pytest.mark.parametrize("state", ["private", "disabled", "archived", "fork"])
def test_states_that_are_not_wanted(state: str) -> None:
    """Each has its own reason."""
    assert _read(**{state: True}).refused == state


@pytest.mark.parametrize(
    "name",
    ["../etc", "acme/..", "acme/.", "acme", "a/b/c", "acme/su ms", "-a/b", "acme/\u202esums", "/", "a\n/b"],
)
def test_names_that_no_repository_has(name: str) -> None:
    """They are refused, and none of them can affect a terminal or a path."""
    facts = _read(full_name=name, clone_url=f"https://github.com/{name}.git")

    assert (facts.refused, facts.name.isprintable()) == ("name_refused", True)


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/acme/sums.git",
        "http://github.com/acme/sums.git",
        "file:///etc/passwd",
        "https://github.com@evil.example/acme/sums.git",
        "https://github.com/acme/other.git",
        "ext::sh -c id",
    ],
)
def test_addresses_of_elsewhere(address: str) -> None:
    """Only the address of this name at the interface's own host is cloned."""
    facts = _read(clone_url=address)

    assert (facts.refused, facts.address) == ("address_refused", "https://github.com/acme/sums.git")


def test_texts_of_the_wrong_shape_are_left_out() -> None:
    """A date, licence, language or branch is valid or left out."""
    odd = {
        "pushed_at": "now|<b>",
        "license": {"spdx_id": "MIT | <x>"},
        "language": "\x1b[2J",
        "default_branch": "a b",
    }
    facts = _read(**odd)

    assert (facts.pushed_at, facts.licence, facts.language, facts.default_branch) == ("", "", "", "")


@pytest.mark.parametrize("item", [{}, [], 3, None, {"full_name": 1}, {"full_name": "a/b", "clone_url": "x"}])
def test_one_bad_entry(item: Any) -> None:
    """It is refused with a reason; the others of its page stay."""
    good = {"clone_url": "https://github.com/acme/sums.git", **entry("acme/sums")}
    first, second = read_listing(_body(item, good), api=API).entries

    assert (first.refused, bool(first.detail), second.refused) == ("entry_unreadable", True, "")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        _body(total="many"),
        _body(total=-1),
        _body(*[{}] * 101),
        b"[" * 100_000,
        b"\xff",
    ],
)
def test_what_is_no_page(body: bytes) -> None:
    """The error has the address of the interface."""
    with pytest.raises(RunError, match=r"api\.github\.com: not a reply of GitHub's search"):
        read_listing(body, api=API)


@given(st.dictionaries(st.sampled_from(sorted({"clone_url", *entry("a/b")})), _JSON))
def test_any_entry_is_read_or_refused(changed: dict[str, Any]) -> None:
    """For any JSON in its fields: an accepted entry has a valid name and the address made from it."""
    facts = _read(**changed)
    sound = facts.address == "https://github.com/acme/sums.git" and facts.name == "acme/sums"

    assert sound or facts.refused in UNREAD


@pytest.mark.parametrize(
    ("licence", "refused"),
    [("MIT", ""), ("GPL-3.0", "licence"), ("NOASSERTION", "licence_unknown"), (None, "licence_unknown")],
)
def test_licences(licence: str | None, refused: str) -> None:
    """Only licences that rows may have are cloned."""
    facts = _read(license=licence and {"spdx_id": licence})

    assert refusal(facts, ("MIT",)).refused == refused


def test_a_refused_one_stays_what_it_is() -> None:
    """A fork under another licence is refused as a fork."""
    assert refusal(_read(fork=True, license=None), ("MIT",)).refused == "fork"


@pytest.mark.parametrize(
    ("api", "host"),
    [
        (API, "github.com"),
        ("https://git.example.org/api/v3", "git.example.org"),
        ("https://api.octo.ghe.com", "octo.ghe.com"),
        ("http://127.0.0.1:8080/api/v3", "127.0.0.1:8080"),
    ],
)
def test_where_repositories_are_cloned_from(api: str, host: str) -> None:
    """The host of the interface, without GitHub's `api.`."""
    assert clone_host(api) == host

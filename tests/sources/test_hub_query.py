"""The query of a hub: parsed from a few words, and refused before anything is sent."""

from __future__ import annotations

import pytest

from benchwright.errors import UsageError
from benchwright.sources.hub.model_list import HubQuery, check_endpoint, is_name, read_query


@pytest.mark.parametrize(
    ("rest", "query"),
    [
        ("", HubQuery()),
        ("task=fill-mask,limit=5", HubQuery(task="fill-mask", limit=5)),
        (" library=timm , sort=likes", HubQuery(library="timm", sort="likes")),
        ("acme/a,acme/b,acme/a", HubQuery(models=("acme/a", "acme/b"))),
        ("gpt2,endpoint=https://hub.example", HubQuery(models=("gpt2",), endpoint="https://hub.example")),
        ("endpoint=http://127.0.0.1:8000/hf", HubQuery(endpoint="http://127.0.0.1:8000/hf")),
    ],
)
def test_queries(rest: str, query: HubQuery) -> None:
    """Words with values are filters, others are names."""
    assert read_query(rest) == query


@pytest.mark.parametrize(
    "rest",
    [
        "task=",
        "colour=blue",
        "a/b/c",
        "../etc",
        "limit=0",
        "limit=-1",
        "limit=ten",
        "limit=9999999",
        "sort=size",
        "acme/a,task=fill-mask",
        "endpoint=ftp://x",
        "endpoint=http://hub.example",
    ],
)
def test_what_cannot_be_meant(rest: str) -> None:
    """Each is a usage error with a valid form."""
    with pytest.raises(UsageError) as caught:
        read_query(rest)
    assert caught.value.hint


@pytest.mark.parametrize(
    "address",
    [
        "",
        "hub",
        "https://",
        "https://a b",
        "https://u:p@hub.example",
        "https://h?x",
        "https://h:99999",
        "http://h",
    ],
)
def test_addresses_of_no_hub(address: str) -> None:
    """A password, a query or an unencrypted address is refused; any port of this machine is allowed."""
    with pytest.raises(UsageError):
        check_endpoint(address)
    check_endpoint("http://localhost:1")


@pytest.mark.parametrize(
    "name", ["", "a/../b", "a//b", "/a", "a/b/c", "a--b", "a/b\n", "-a", "ä/b", "a" * 200]
)
def test_names_that_become_no_folder(name: str) -> None:
    """A name is part of addresses and of folders."""
    assert not is_name(name)
    assert is_name("openai-community/gpt2.1_x")

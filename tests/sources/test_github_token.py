"""The token of GitHub's interface: its sources, and that no output shows it."""

from __future__ import annotations

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.sources.github.client import GitHubToken

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        ({"GITHUB_TOKEN": SECRET, "GH_TOKEN": "other"}, "GITHUB_TOKEN"),
        ({"GITHUB_TOKEN": " ", "GH_TOKEN": f"{SECRET}\n"}, "GH_TOKEN"),
    ],
)
def test_where_it_is_read(environment: dict[str, str], name: str) -> None:
    """The first of the two variables with a value, without the line break of a file."""
    token = GitHubToken(environment)

    assert (token.name, token.headers()) == (name, {"authorization": f"Bearer {SECRET}"})


def test_none() -> None:
    """Without one nothing is sent, and texts are unchanged."""
    token = GitHubToken({})

    assert (token.name, token.headers(), token.quoted("a b")) == ("", {}, "a b")


def test_nothing_shows_it() -> None:
    """Neither its own text nor texts that repeat it; control characters are escaped."""
    token = GitHubToken({"GH_TOKEN": SECRET})
    words = f"bad \x1b[2J {SECRET}!"
    shown = f"{token} {token!r} {token.quoted(words)}"

    assert (SECRET in shown, shown.isprintable(), "bad" in shown) == (False, True, True)


@pytest.mark.parametrize("text", ["two words", "line\nbreak", "cyrillic-с", "\x00"])
def test_what_no_header_can_carry(text: str) -> None:
    """The error has the name of the variable, not its value."""
    with pytest.raises(PrerequisiteError, match="GITHUB_TOKEN contains") as caught:
        GitHubToken({"GITHUB_TOKEN": text})

    assert text not in str(caught.value)

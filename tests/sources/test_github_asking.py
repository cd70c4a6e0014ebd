"""Requests to GitHub: waits, retries, limits, and a token for one host only."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from benchwright.errors import BenchwrightError, RunError
from benchwright.http_client import WaitingClock
from benchwright.sources.github import client
from benchwright.sources.github.client import TRIES, GitHubClient, GitHubToken, RateLimitError
from benchwright.sources.github.search_pages import RepositorySearch, page_url
from kit.made_github import SECONDARY, GitHub, Scripted, endless, entry, limited, serving
from kit.ports import refusing_port

SECRET = "ghp_a-secret"


class _Time:
    """A clock that advances when it sleeps."""

    def __init__(self) -> None:
        self.moment, self.slept = 1_800_000_000.0, list[float]()

    def sleep(self, seconds: float) -> None:
        self.moment += seconds
        self.slept.append(round(seconds))


@pytest.fixture(scope="module")
def served() -> Iterator[GitHub]:
    """Use one server for all tests here."""
    with serving([entry("acme/sums")]) as github:
        yield github


@pytest.fixture
def github(served: GitHub) -> GitHub:
    """Return the server in its first state."""
    served.asked.clear()
    served.script.clear()
    return served


def _get(github: GitHub, *, times: int = 1, token: str = SECRET) -> tuple[list[int], list[float], list[str]]:
    """Return the statuses of some requests, the seconds slept, and the notes."""
    clock, told = _Time(), list[str]()
    url = page_url(
        RepositorySearch(languages=("Go",), api=github.api), "Go", low=1, high=None, licence=None, number=1
    )
    made = GitHubToken({"GITHUB_TOKEN": token})
    with GitHubClient(
        github.api, made, tell=told.append, clock=WaitingClock(lambda: clock.moment, clock.sleep)
    ) as asker:
        return [asker.get(url).status for _ in range(times)], clock.slept, told


def test_what_is_sent(github: GitHub) -> None:
    """User agent, version of the interface, and the token; replies must not be compressed."""
    statuses, _, _ = _get(github)
    sent = github.asked[0].headers

    assert (statuses, sent["authorization"], sent["user-agent"]) == ([200], f"Bearer {SECRET}", "benchwright")
    assert (sent["accept"], sent["accept-encoding"]) == ("application/vnd.github+json", "identity")


def test_without_a_token(github: GitHub) -> None:
    """The header is missing."""
    _get(github, token="")

    assert "authorization" not in github.asked[0].headers


def test_a_secondary_limit(github: GitHub) -> None:
    """The requested wait is used, then one minute and two, each with a note."""
    words = json.dumps({"message": SECONDARY}).encode()
    github.script += [Scripted(403, {"retry-after": "7"}, words), Scripted(403, {}, words), Scripted(429)]
    statuses, slept, told = _get(github)

    assert (statuses, slept, len(told), len(github.asked)) == ([200], [7, 120, 240], 3, 4)


def test_the_last_request_of_a_period(github: GitHub) -> None:
    """The next one waits for the reset, without a request in between."""
    github.script.append(Scripted(200, limited(reset_s=20).headers, b"{}"))
    statuses, slept, told = _get(github, times=2)

    assert (statuses, len(slept), slept[0] in range(18, 23)) == ([200, 200], 1, True)
    assert told == [f"GitHub: that was the last request of this period; resuming in {slept[0]:.0f} s"]


def test_a_short_rest_is_not_told(github: GitHub) -> None:
    """The user would not notice it."""
    github.script.append(Scripted(200, limited(reset_s=-10).headers, b"{}"))
    _, slept, told = _get(github, times=2)

    assert (slept, told) == ([1], [])


def test_a_limit_that_lasts(github: GitHub) -> None:
    """It is not waited for: the error has the time of the reset."""
    github.script.append(limited(reset_s=3000))
    with pytest.raises(RateLimitError, match=r"accepts no requests before .* UTC") as caught:
        _get(github)

    assert (len(github.asked), caught.value.wait_s > 2900, SECRET in str(caught.value)) == (1, True, False)


def test_a_server_that_fails_once(github: GitHub) -> None:
    """The request is repeated."""
    github.script += [Scripted(502, {}, b"Bad gateway"), None]

    assert _get(github)[0] == [200]


def test_a_server_that_fails(github: GitHub) -> None:
    """After some tries it is an error with its message, and results so far are stored."""
    github.script += [Scripted(500, {}, b"out of order")] * TRIES
    with pytest.raises(RunError, match="HTTP 500 out of order") as caught:
        _get(github)

    assert (len(github.asked), "run the same command" in (caught.value.hint or "")) == (TRIES, True)


def test_nobody_there() -> None:
    """The error has the system's reason, after some tries."""
    with (
        refusing_port() as port,
        pytest.raises(RunError, match=f"does not answer: .*refused.*tried {TRIES} times"),
    ):
        _get(GitHub([], f"http://127.0.0.1:{port}"))


def test_a_redirect_is_not_followed(github: GitHub) -> None:
    """Otherwise a reply could redirect the token."""
    with serving() as other:
        github.script.append(Scripted(301, {"location": f"{other.api}/search/repositories"}))
        with pytest.raises(RunError, match="redirected to"):
            _get(github)

        assert other.asked == []


@pytest.mark.parametrize("status", [401, 403, 404, 422])
def test_words_that_repeat_the_token(github: GitHub, status: int) -> None:
    """A refusal is an error at once, and does not show the token."""
    github.script.append(Scripted(status, {}, json.dumps({"message": f"bad {SECRET}"}).encode()))
    with pytest.raises(BenchwrightError) as caught:
        _get(github)

    assert ("bad …" in caught.value.message, SECRET in str(caught.value), len(github.asked)) == (
        True,
        False,
        1,
    )


def test_a_reply_without_end(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read up to a limit."""
    monkeypatch.setattr(client, "MAX_REPLY", 1 << 20)
    github.script += [Scripted(200, {}, b" " * (2 << 20))] * TRIES
    with pytest.raises(RunError, match="more than 1 MiB"):
        _get(github)


def test_a_reply_that_takes_too_long(github: GitHub, monkeypatch: pytest.MonkeyPatch) -> None:
    """All reads together have one limit."""
    monkeypatch.setattr(client, "WHOLE_S", -1.0)
    with pytest.raises(RunError, match="no whole reply within"):
        _get(github)


@pytest.mark.parametrize(
    "piece",
    [b"HTTP/1.1 100 Continue\r\n\r\n", b"X", b"HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n", b""],
)
@pytest.mark.parametrize("begun", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_server_without_end(begun: bytes, piece: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Endless interim replies, slow headers and bodies, silence: all are aborted."""
    monkeypatch.setattr(client, "WHOLE_S", 0.3)
    with (
        endless(begun, piece) as api,
        client.GitHubConnection(api, {}) as connection,
        pytest.raises(client.NoReplyError) as caught,
    ):
        connection.get(f"{api}/search")

    assert str(caught.value)


def test_a_connection_goes_on_after_one_that_was_cut_off(
    github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next request opens another one."""
    with client.GitHubConnection(github.api, {}) as connection:
        url = f"{github.api}/search?q=language:Go+stars:1..*+is:public&page=1"
        monkeypatch.setattr(client, "WHOLE_S", -1.0)
        with pytest.raises(client.NoReplyError, match="no whole reply"):
            connection.get(url)
        monkeypatch.undo()

        assert connection.get(url).status == 200


@pytest.mark.parametrize("header", ["retry-after", "x-ratelimit-reset"])
def test_a_limit_beyond_all_calendars(github: GitHub, header: str) -> None:
    """The message is short, for any number in a reply."""
    words = {"x-ratelimit-remaining": "0", header: "1e308"}
    github.script.append(Scripted(429, words))
    with pytest.raises(RateLimitError) as caught:
        _get(github)

    assert "more than 100 days" in caught.value.message and len(caught.value.message) < 200


def test_only_the_interface_is_asked(github: GitHub) -> None:
    """Another address is an error of the program."""
    with (
        client.GitHubConnection(github.api, {}) as connection,
        pytest.raises(ValueError, match="is not below"),
    ):
        connection.get("http://127.0.0.1.evil.example/search")

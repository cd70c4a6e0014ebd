"""The server counts what it is asked, and its faults come when their schedule says."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import httpx
import pytest

from benchwright.stub_server import Script
from kit.stub_client import CHAT, served


def statuses(client: Any, seeds: list[int]) -> list[int]:
    """The status of one chat for each seed, one after another."""
    return [client.chat(seed=seed).status_code for seed in seeds]


def test_health_and_models() -> None:
    """Ready as soon as the URL is known; the list of models has the names that were given."""
    with served(models=["a", "b"]) as client:
        health = client.http.get(client.server.base_url.removesuffix("/v1") + "/health")
        listed = client.http.get("/models").json()

    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert [each["id"] for each in listed["data"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("fault", "status", "expected"), [("models-500", 500, None), ("models-empty", 200, [])]
)
def test_the_list_of_models_may_lie(fault: str, status: int, expected: object) -> None:
    """Which is why no client should take it for a sign of readiness; questions are answered all the same."""
    with served(faults=[fault]) as client:
        reply = client.http.get("/models")

        assert (status, expected) == (reply.status_code, reply.json().get("data"))
        assert client.chat().status_code == 200


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/nothing"), ("GET", "/chat/completions"), ("PUT", "/models")]
)
def test_other_paths_are_not_found(method: str, path: str) -> None:
    """404 with the method and the path."""
    with served() as client:
        reply = client.http.request(method, path)

    assert (reply.status_code, path in reply.text) == (404, True)


def test_the_first_requests_of_each_key_fail() -> None:
    """`first=1`: each question fails once, whatever is asked in between, and then succeeds."""
    with served(faults=["500:first=1"]) as client:
        actual = statuses(client, [1, 2, 1, 2, 1])

    assert actual == [500, 500, 200, 200, 200]


def test_every_kth_request_fails() -> None:
    """`every=3` counts all requests as they arrive."""
    with served(faults=["503:every=3"]) as client:
        actual = statuses(client, [1, 2, 3, 1, 2, 3])

    assert actual == [200, 200, 503, 200, 200, 503]


def test_some_keys_fail_and_the_same_ones_each_time() -> None:
    """`one_in=4` takes about a quarter of the keys, in any order and in another server."""
    seeds = list(range(40))
    with served(faults=["429:one_in=4"]) as client:
        forth = dict(zip(seeds, statuses(client, seeds), strict=True))
    with served(faults=["429:one_in=4"]) as client:
        back = dict(zip(reversed(seeds), statuses(client, seeds[::-1]), strict=True))

    assert forth == back
    assert 4 <= Counter(forth.values())[429] <= 18


def test_a_slow_answer_is_late_and_right() -> None:
    """The delay comes before the answer, and others are not held up by it."""
    with served(faults=["slow:seconds=0.3,first=1"]) as client:
        before = time.monotonic()
        slow = client.chat()
        late = time.monotonic() - before
        again = client.chat()

    assert late >= 0.3
    assert slow.content == again.content


def test_faults_combine() -> None:
    """A question can meet several faults at once: here two bend the answer."""
    with served(Script.of({"": ["a", "b"]}), faults=["n-forced", "duplicates"]) as client:
        choices = client.chat(n=2, seed=1).json()["choices"]

    assert [each["message"]["content"] for each in choices] == ["a", "a", "a"]


def test_an_error_leaves_nothing_to_bend() -> None:
    """Where a request fails, only that is counted, and of two errors the first that was named."""
    with served(faults=["n-ignored", "429", "500"]) as client:
        status = client.chat().status_code
        faults = client.server.stats()["faults"]

    assert (status, faults) == (429, {"429": 1})


def test_requests_are_counted() -> None:
    """In all, by status, by fault and by key; a cut answer is no success."""
    with served(faults=["429:first=1", "cut:contains=sub"]) as client:
        statuses(client, [1, 1, 2])
        message = [{"role": "user", "content": "def sub("}]
        client.chat(messages=message)
        with pytest.raises(httpx.RemoteProtocolError):
            client.chat(messages=message)
        stats = client.server.stats()

    keys = [(key["seed"], key["requests"], key["successes"]) for key in stats.pop("keys")]
    assert stats == {
        "requests": 5,
        "successes": 1,
        "most_in_flight": 1,
        "statuses": {"200": 2, "429": 3},
        "faults": {"429": 3, "cut": 1},
    }
    assert keys == [(1, 2, 1), (2, 1, 0), (None, 2, 0)]


def test_bodies_are_kept() -> None:
    """A test can see what its client has sent, and in which order."""
    with served() as client:
        client.chat(seed=1, top_k=5)
        client.plain(n=0)
        requests = client.server.requests()

    assert [(each["path"], each["status"]) for each in requests] == [
        ("/v1/chat/completions", 200),
        ("/v1/completions", 400),
    ]
    assert requests[0]["body"] == {**CHAT, "seed": 1, "top_k": 5}


@pytest.mark.parametrize(
    ("headers", "expected"),
    [({}, 401), ({"Authorization": "Bearer no"}, 401), ({"Authorization": "Bearer yes"}, 200)],
)
def test_a_key_may_be_asked_for(headers: dict[str, str], expected: int) -> None:
    """With `api_key`, requests without it are refused."""
    with served(api_key="yes") as client:
        actual = client.http.post("/chat/completions", json=CHAT, headers=headers).status_code

    assert expected == actual


def test_equal_questions_get_equal_bytes() -> None:
    """Two servers, the same question: nothing in the reply tells of time, order or chance."""
    replies = []
    for _ in range(2):
        with served() as client:
            replies.append((client.chat(seed=3, n=2, logprobs=True).content, client.plain(seed=3).content))

    assert replies[0] == replies[1]

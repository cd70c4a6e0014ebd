"""The server as tests use it: a `with` block, in this process or another one, for many clients at once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import threading
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.stub_server import Fault, Script, StubServer
from kit.processes import HANG_S, descendants, python, wait_until
from kit.stub_client import CHAT, served

PARENT = """
import os, signal
from benchwright.stub_server import StubServer
server = StubServer(within="process")
with server:
    print(server.base_url, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def port_of(server: StubServer) -> int:
    """Where it listens."""
    return int(urlsplit(server.base_url).port or 0)


def alive(url: str) -> bool:
    """Whether somebody serves there."""
    try:
        return httpx.get(url + "/health", trust_env=False, timeout=HANG_S).status_code == 200
    except httpx.HTTPError:
        return False


@pytest.mark.parametrize("within", ["thread", "process"])
def test_a_server_lives_as_long_as_its_block(within: str) -> None:
    """It answers inside and is gone after, and so is all that it was made of."""
    threads, children = set(threading.enumerate()), descendants(os.getpid())
    with served(Script.of({"add": "x"}), faults=["429:first=1"], within=within) as client:
        url = client.server.base_url
        actual = [client.chat().status_code for _ in range(2)]
        text = client.chat().json()["choices"][0]["message"]["content"]

    assert (actual, text) == ([429, 200], "x")
    assert not alive(url)
    assert set(threading.enumerate()) <= threads
    assert descendants(os.getpid()) <= children


def test_it_listens_on_loopback_only() -> None:
    """Nobody else on the network gets at it."""
    with StubServer() as server:
        assert server.base_url.startswith("http://127.0.0.1:")


def test_a_process_ends_with_its_parent() -> None:
    """Even when the parent is killed, no server is left behind."""
    done = python(PARENT)
    url = done.stdout.strip()

    assert done.returncode == -signal.SIGKILL
    assert wait_until(lambda: not alive(url))


def test_outside_its_block_there_is_no_url() -> None:
    """Neither before nor after."""
    server = StubServer()
    with server:
        pass
    with pytest.raises(BenchwrightError, match="use it in a `with` block"):
        _ = server.base_url


@pytest.mark.parametrize("within", ["thread", "process"])
def test_a_port_that_is_taken_is_an_error(within: str) -> None:
    """The error comes from the `with` line, in the parent as well."""
    with StubServer() as first, pytest.raises(BenchwrightError, match=r"cannot listen|did not start"):
        StubServer(port=port_of(first), within=within).__enter__()  # type: ignore[arg-type]


def test_what_it_is_made_from_is_checked_at_once(tmp_path: Path) -> None:
    """Before a server starts: faults, scripts and script files."""
    empty = tmp_path / "script.jsonl"
    empty.write_text("")
    with pytest.raises(UsageError):
        StubServer(faults=["429:often=1"])
    with pytest.raises(UsageError):
        StubServer(faults=[Fault(kind="no")])
    with pytest.raises(DataError, match="no rows"):
        StubServer(empty)


def test_a_script_file_is_read(tmp_path: Path) -> None:
    """A path will do for a script."""
    path = tmp_path / "script.jsonl"
    path.write_text('{"contains": "", "completions": ["from a file"]}\n')
    with StubServer(path) as server:
        reply = httpx.post(server.base_url + "/chat/completions", json=CHAT, trust_env=False).json()

    assert reply["choices"][0]["message"]["content"] == "from a file"


async def ask_twice(port: int, seed: int) -> list[str]:
    """Two questions on one connection; a bare socket, since 64 clients of a library cost seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    texts = []
    try:
        for number in (seed, seed + 1000):
            body = json.dumps({**CHAT, "seed": number}).encode()
            writer.write(
                b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            )
            head = await reader.readuntil(b"\r\n\r\n")
            size = int(head.partition(b"Content-Length: ")[2].split()[0])
            texts.append(json.loads(await reader.readexactly(size))["choices"][0]["message"]["content"])
    finally:
        writer.close()
    return texts


async def storm(server: StubServer) -> set[str]:
    """What 64 clients are told, all at once."""
    answers = await asyncio.gather(*(ask_twice(port_of(server), seed) for seed in range(64)))
    return {text for texts in answers for text in texts}


async def hold(server: StubServer) -> bool:
    """Whether 64 clients that get no answer are all heard."""
    waiting = [asyncio.create_task(ask_twice(port_of(server), seed)) for seed in range(64)]
    heard = await asyncio.to_thread(wait_until, lambda: server.stats()["most_in_flight"] == 64)
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    return heard


def test_64_clients_are_served_at_once() -> None:
    """64 are in flight together, and each of 128 seeds gets a text of its own."""
    with StubServer(faults=["slow:seconds=3600,first=1"], within="process") as server:
        heard = asyncio.run(hold(server))
    with StubServer(within="process") as server:
        texts = asyncio.run(storm(server))

    assert (heard, len(texts)) == (True, 128)


def test_a_block_ends_with_requests_in_flight() -> None:
    """Leaving does not wait for an answer that would take an hour."""
    failed = threading.Event()

    def ask(url: str) -> None:
        try:
            httpx.post(url + "/chat/completions", json=CHAT, trust_env=False, timeout=HANG_S)
        except httpx.HTTPError:
            failed.set()

    with StubServer(faults=["slow:seconds=3600"]) as server:
        asking = threading.Thread(target=ask, args=(server.base_url,))
        asking.start()
        assert wait_until(lambda: server.stats()["requests"] == 1)
    asking.join(HANG_S)

    assert failed.is_set()

"""The view over HTTP: it only reads, accepts only host names of this machine, and limits its input."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from litestar import get, post

from benchwright.errors import BenchwrightError
from benchwright.web.core.policy import Refusal
from benchwright.web.core.read_only import make_read_only_application
from benchwright.web.core.site import SiteSettings
from benchwright.web.view.answer_packer import AnswerPacker
from benchwright.web.view.application import make_view
from benchwright.web.view.packing_process import PackRequest
from benchwright.web.view.pages import ViewParts
from benchwright.web.view.shared_streams import MOST_READERS, SharedStream
from benchwright.web.view.streams import MOST_ROWS, RowFilter, RunStream, task_key
from kit.growing_folder import GrowingFolder, answer, verdict
from kit.processes import HANG_S

HOST = "127.0.0.1:8080"
REQUEST = PackRequest(task_id="a", runs=[])


class Reader:
    """An application without a socket, and requests to it."""

    def __init__(self, top: Path) -> None:
        self.application = make_view(top, [HOST])
        self.parts: ViewParts = self.application.state.view
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=self.application),  # type: ignore[arg-type]
            base_url=f"http://{HOST}",
        )

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send one request."""
        return self._runner.run(self._client.request(method, path, **options))

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Return a page."""
        return self.request("GET", path, **options)

    def key(self, name: str) -> str:
        """Return the key of the run in this folder."""
        return self.parts.board.with_runs(
            lambda runs: next(key for key, run in runs.items() if run.path.name == name)
        )

    def close(self) -> None:
        """Close the child process and the loop."""
        self._runner.run(self.parts.packer.close())
        self._runner.close()


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    """Return a view of a folder with a run of two answers, the second not judged."""
    growing = GrowingFolder(tmp_path / "runs" / "mine")
    growing.answers(answer("a/1"), answer("b", text="<script>alert(1)</script>"))
    growing.verdicts(verdict("a/1", outcome="wrong"))
    growing.end()
    made = Reader(tmp_path / "runs")
    yield made
    made.close()


def test_pages_and_assets_are_served(reader: Reader) -> None:
    """They need no cookie, and their policy allows only files of the site."""
    key = reader.key("mine")
    pages = [reader.get("/"), reader.get(f"/runs/{key}")]
    assets = [part.partition('"')[0] for part in pages[1].text.split('src="')[1:]]

    assert [page.status_code for page in pages] == [200, 200]
    assert {name for page in pages for name in page.headers if name == "set-cookie"} == set()
    assert all(
        "script-src 'self'; style-src 'self'" in page.headers["content-security-policy"] for page in pages
    )
    assert len(assets) == 9
    assert {reader.get(each).status_code for each in assets} == {200}
    assert "<script>alert" not in pages[1].text


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_only_get_is_served(reader: Reader, method: str) -> None:
    """Other methods are refused at any address."""
    paths = ("/", "/stream", f"/runs/{reader.key('mine')}", f"/api/runs/{reader.key('mine')}/answers?task=b")

    assert {reader.request(method, path).status_code for path in paths} == {405}


def test_a_route_that_writes_is_refused() -> None:
    """Creating the application raises the error."""

    @post("/change")
    async def change() -> None: ...

    @get("/read")
    async def read() -> None: ...

    make_read_only_application([read], SiteSettings(), {})
    with pytest.raises(BenchwrightError, match="does not only read"):
        make_read_only_application([change], SiteSettings(), {})


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "localhost.evil.example:8080", "", "[::"])
def test_other_hosts_are_refused(reader: Reader, host: str) -> None:
    """A host name of an attacker that resolves to this machine reads nothing."""
    assert reader.get("/", headers={"host": host}).status_code == 400


def test_requests_of_other_sites_are_refused(reader: Reader) -> None:
    """They are recognized by Origin or Sec-Fetch-Site; a link from elsewhere may open a page."""
    path = f"/api/runs/{reader.key('mine')}/answers?task=none"
    foreign = [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"},
        {"sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors"},
    ]

    assert {reader.get(path, headers=each).status_code for each in foreign} == {403}
    assert reader.get(path, headers={"origin": f"http://{HOST}"}).status_code == 404
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert reader.get("/", headers=link).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        "/runs/%2e%2e",
        "/runs/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/runs/mine",
        "/runs/%00",
        "/assets/..%2f..%2fpages.py",
        "/assets/%2fetc%2fpasswd",
        "/runs/000000000000/stream",
        "/api/runs/..%2fmine/answers?task=b",
        "/runs.json",
    ],
)
def test_no_address_names_a_file(reader: Reader, path: str) -> None:
    """Runs are found by keys, static files in a table."""
    assert reader.get(path).status_code == 404


def test_values_and_bodies_are_limited(reader: Reader) -> None:
    """They are checked before they are used."""
    path = f"/api/runs/{reader.key('mine')}/answers"
    long, many = "x" * 401, ",".join("abc" for _ in range(20))

    assert reader.get(path, params={"task": long}).status_code == 400
    assert reader.get(path, params={"task": "b", "beside": many}).status_code == 400
    assert reader.get(path, params={"task": "b", "beside": "000000000000"}).status_code == 404
    assert reader.get(path).status_code == 404


class QuietSource:
    """A source without changes."""

    def message(self) -> None:
        """Return nothing."""

    def everything(self) -> dict[str, Any]:
        """Return nothing."""
        return {}


def test_streams_are_limited(reader: Reader) -> None:
    """One page more than the limit is refused."""
    crowd = SharedStream(QuietSource(), reader.parts.streams.closing)
    crowd._queues.update(asyncio.Queue() for _ in range(MOST_READERS))
    reader.parts.streams._shared["crowd"] = crowd

    assert reader.get("/stream").status_code == 503
    assert reader.get(f"/runs/{reader.key('mine')}/stream").status_code == 503


def test_answers_are_read_by_a_child(reader: Reader) -> None:
    """They include their verdicts; an answer that is not judged has no figures of an execution."""
    path = f"/api/runs/{reader.key('mine')}/answers"
    judged, waiting = (reader.get(path, params={"task": task}).json() for task in ("a/1", "b"))

    [[row]] = judged["document"]["answers"]
    assert (judged["name"], row["outcome"], row["isolation"]) == ("a/1", "wrong", "separated")
    assert "its data set" in judged["note"]
    [[row]] = waiting["document"]["answers"]
    assert (row["outcome"], "isolation" in row, "cpu" in row) == ("waiting", False, False)
    assert waiting["document"]["texts"] == [{"text": "<script>alert(1)</script>"}]


def test_answers_of_another_run_stand_beside(reader: Reader, tmp_path: Path) -> None:
    """They have the requested order; a run of another data set cannot be compared."""
    for name, identity in (("other", {}), ("stranger", {"data": "e" * 64})):
        growing = GrowingFolder(tmp_path / "runs" / name, **identity)
        growing.answers(answer("b", text="theirs"))
        growing.end()
    there = Reader(tmp_path / "runs")
    path = f"/api/runs/{there.key('mine')}/answers"
    both = there.get(path, params={"task": "b", "beside": there.key("other")})
    stranger = there.get(path, params={"task": "b", "beside": there.key("stranger")})
    there.close()

    assert [len(rows) for rows in both.json()["document"]["answers"]] == [1, 1]
    assert [each["text"] for each in both.json()["document"]["texts"]] == [
        "<script>alert(1)</script>",
        "theirs",
    ]
    assert stranger.status_code == 404


def test_a_row_that_was_rewritten_meanwhile_is_not_another_row(reader: Reader, tmp_path: Path) -> None:
    """An offset in a replaced file may point to another row: this is an error to retry, never a wrong answer."""
    key = reader.key("mine")
    reader.parts.board.with_run(key, lambda run: run.rows)
    path = tmp_path / "runs" / "mine" / "answers.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    request = reader.parts.board.with_run(key, lambda run: dict(run.rows))
    path.write_bytes(lines[1] + lines[0])
    from benchwright.web.view.packing_process import AnswerPlace, Packing, RunPlaces

    assert request is not None
    row = request["a/1", 0]
    places = RunPlaces(path=str(path.parent), places=[AnswerPlace(sample=0, answer=row.answer)])
    reply = Packing().reply(msgspec.json.encode(PackRequest(task_id="a/1", runs=[places])))

    assert reply.document == {}
    assert "rewritten" in reply.error


def child(tmp_path: Path, code: str) -> tuple[str, ...]:
    """Return a command that runs this code in place of the real child."""
    path = tmp_path / "child.py"
    path.write_text(code)
    return (sys.executable, str(path))


# Replies with the number of the request; hangs once, at the first request.
HANGS = """
import json, os, sys
for number, line in enumerate(sys.stdin, 1):
    if not os.path.exists(sys.argv[0] + ".seen"):
        open(sys.argv[0] + ".seen", "w").close()
        sys.stdin.read()
    data = json.dumps({"note": json.loads(line)["task_id"]})
    sys.stdout.write(f"{len(data)}\\n{data}")
    sys.stdout.flush()
"""


def test_a_request_that_times_out_ends_the_child(tmp_path: Path) -> None:
    """A new child answers the next request with its own reply."""

    async def ask() -> tuple[int, str]:
        seconds = 0.5
        while not (
            tmp_path / "child.py.seen"
        ).exists():  # otherwise it ended before the child had read the request
            packer = AnswerPacker(command=child(tmp_path, HANGS), timeout_s=(seconds := 2 * seconds))
            with pytest.raises(Refusal) as caught:
                await packer.pack(REQUEST)
        slow = AnswerPacker(command=child(tmp_path, HANGS), timeout_s=HANG_S)
        reply = await slow.pack(PackRequest(task_id="second", runs=[]))
        await slow.close()
        return caught.value.status_code, reply.note

    assert asyncio.run(ask()) == (504, "second")


def test_a_cancelled_request_ends_the_child(tmp_path: Path) -> None:
    """Otherwise its late reply would be taken for the reply to the next request."""

    async def ask() -> tuple[bool, str]:
        packer = AnswerPacker(command=child(tmp_path, HANGS), timeout_s=HANG_S)
        first = asyncio.create_task(packer.pack(PackRequest(task_id="first", runs=[])))
        while not (tmp_path / "child.py.seen").exists():
            await asyncio.sleep(0.01)
        first.cancel()
        ended = (await asyncio.gather(first, return_exceptions=True))[0]
        reply = await packer.pack(PackRequest(task_id="second", runs=[]))
        await packer.close()
        return isinstance(ended, asyncio.CancelledError), reply.note

    assert asyncio.run(ask()) == (True, "second")


@pytest.mark.parametrize(
    "code",
    [
        "import sys; sys.exit(1)",
        "print('no size', flush=True); input()",
        "print(1 << 40, flush=True); input()",
    ],
)
def test_a_child_that_fails_is_an_error(tmp_path: Path, code: str) -> None:
    """The child ends, or writes an invalid reply."""

    async def ask() -> int:
        packer = AnswerPacker(command=child(tmp_path, code), timeout_s=HANG_S)
        with pytest.raises(Refusal) as caught:
            await packer.pack(REQUEST)
        await packer.close()
        return caught.value.status_code

    assert asyncio.run(ask()) == 502


def test_a_stream_sends_changes_only(tmp_path: Path) -> None:
    """The first message has all rows, later ones those that were added, changed or no longer match; nothing
    without a change."""
    growing = GrowingFolder(tmp_path / "runs" / "mine")
    growing.answers(answer("a"), answer("b"))
    reader = Reader(tmp_path / "runs")
    reader.parts.board._clock = iter(range(10_000)).__next__  # each look is a second later
    key = reader.key("mine")
    every = RunStream(reader.parts.board, key, RowFilter())
    waiting = RunStream(reader.parts.board, key, RowFilter(outcome="waiting", find="A"))

    def messages() -> list[tuple[list[str], list[str], int] | None]:
        made = [each.message() for each in (every, waiting)]
        return [m and ([row["key"] for row in m["rows"]], m["gone"], m["matching"]) for m in made]

    first = messages()
    quiet = messages()
    growing.verdicts(verdict("a"))
    growing.answers(answer("c"))
    second = messages()
    growing.end()
    reader.close()

    assert first == [(["b", "a"], [], 2), (["a"], [], 1)]
    assert quiet == [None, None]
    assert second == [(["c", "a"], [], 3), ([], ["0:a"], 0)]


def test_a_page_has_the_latest_rows_of_a_large_run(tmp_path: Path) -> None:
    """If there are more answers than a page holds, it has the last ones, and the total."""
    growing = GrowingFolder(tmp_path / "runs" / "mine")
    growing.answers(*(answer("a", sample) for sample in range(MOST_ROWS + 50)))
    growing.end()
    reader = Reader(tmp_path / "runs")
    message = RunStream(reader.parts.board, reader.key("mine"), RowFilter()).message()
    reader.close()

    assert message is not None
    assert (len(message["rows"]), message["matching"]) == (MOST_ROWS, MOST_ROWS + 50)
    assert {row["sample"] for row in message["rows"]} == set(range(50, MOST_ROWS + 50))


def test_keys_of_tasks_are_unique() -> None:
    """They are short, intact in JSON, and stable, for any ids of a data set."""
    tasks = [7, "7", '"7"', "-1", -1, "a b&c", "sha256:x", "x" * 5000, "x" * 5001, "", "HumanEval/0"]
    keys = [task_key(each) for each in tasks]

    assert len(set(keys)) == len(tasks)
    assert max(map(len, keys)) <= 300
    assert (keys[0], keys[-1]) == ("7", "HumanEval/0")
    assert json.loads(json.dumps(keys)) == keys

"""OpenAI's and Anthropic's batch interfaces on 127.0.0.1, with their faults. Written from the documented
shapes."""

from __future__ import annotations

import json
import re
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from kit.provider_replies import anthropic_reply

BATCHES = "/v1/messages/batches"  # Anthropic's
_PART = re.compile(rb'name="file"; filename="[^"]*"\r\n(?:[^\r\n]+\r\n)*\r\n(.*)\r\n--', re.DOTALL)


class FailedRequest(NamedTuple):
    """A request of a batch without an answer. With `status` 0 it was never sent, and `error` is the reason."""

    status: int = 500
    error: str = "server_error"


EXPIRED, CANCELLED = FailedRequest(0, "batch_expired"), FailedRequest(0, "batch_cancelled")
Outcome = str | FailedRequest | None  # a text, a failure, or no result


class MadeBatch:
    """A batch of the server."""

    def __init__(self, number: int, requests: list[tuple[str, dict[str, Any]]], label: str) -> None:
        self.id, self.number, self.requests, self.label = f"batch_{number}", number, requests, label
        self.created = datetime.now(UTC)

    @property
    def custom_ids(self) -> list[str]:
        """Return the ids of its requests."""
        return [custom_id for custom_id, _ in self.requests]


class BatchServer:
    """A server of both providers. Tests set its answers, the end of its batches, and its faults."""

    def __init__(self) -> None:
        self.batches: dict[str, MadeBatch] = {}
        self.files: dict[str, bytes] = {}
        self.posts: list[str] = []  # the paths of all POSTs
        self.headers: list[dict[str, str]] = []  # of all requests, names in lower case
        self.looks = 0  # number of requests for the state of a batch
        self.is_held = False  # no batch ends
        self.says: Callable[[MadeBatch, dict[str, Any]], Outcome] = lambda batch, body: "spam"
        self.ends: Callable[[MadeBatch], str] = lambda batch: "completed"  # OpenAI's name of the final state
        self.lines: Callable[[MadeBatch, list[bytes]], list[bytes]] = lambda batch, lines: lines
        self.faults: list[str] = []  # faults of the next creations: "lose" (no reply), "429", "503", …
        self.errors: list[dict[str, str]] = []  # of a failed batch
        self.base_url = ""
        self.lock = Lock()

    @property
    def created(self) -> int:
        """Return the number of batches."""
        return len(self.batches)

    def asked(self) -> list[str]:
        """Return the prompts of all batches."""
        batches = list(self.batches.values())
        return [body["messages"][-1]["content"] for batch in batches for _, body in batch.requests]

    def create(self, requests: list[tuple[str, dict[str, Any]]], label: str = "") -> MadeBatch:
        """Add a batch."""
        batch = MadeBatch(len(self.batches) + 1, requests, label)
        self.batches[batch.id] = batch
        return batch


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore connections that the client closed early."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def batch_server() -> Iterator[BatchServer]:
    """Run the server for the duration of the block."""
    server = BatchServer()
    http = _Quiet(("127.0.0.1", 0), _Handler)
    http.batches = server  # type: ignore[attr-defined]
    server.base_url = f"http://127.0.0.1:{http.server_port}"
    thread = Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def made(self) -> BatchServer:
        server: BatchServer = self.server.batches  # type: ignore[attr-defined]
        return server

    def do_POST(self) -> None:
        """Upload a file, or create a batch."""
        data = self.rfile.read(int(self.headers["Content-Length"]))
        path = urlsplit(self.path).path
        with self.made.lock:
            self.made.posts.append(path)
            self._note_headers()
            if path == "/v1/files":
                self._upload(data)
            elif path in ("/v1/batches", BATCHES):
                self._create(path, json.loads(data))
            else:
                self._send({"error": {"message": f"no {path} here"}}, 404)

    def do_GET(self) -> None:
        """Send a state, a list, or results."""
        parts = urlsplit(self.path)
        with self.made.lock:
            self._note_headers()
            if parts.path in ("/v1/batches", BATCHES):
                self._list(parts.path, parse_qs(parts.query))
                return
            found = re.fullmatch(r"(?:/v1/batches|/v1/files|/v1/messages/batches)/([^/]+)(/\w+)?", parts.path)
            name, rest = (found[1], found[2]) if found else ("", None)
            if rest == "/content" and name in self.made.files:
                self._send_bytes(self.made.files[name])
            elif name not in self.made.batches:
                self._send({"error": {"message": f"no {parts.path} here"}}, 404)
            elif rest == "/results":
                self._send_bytes(self._results(self.made.batches[name]))
            else:
                self.made.looks += 1
                self._send(self._state(parts.path, self.made.batches[name]))

    def _note_headers(self) -> None:
        self.made.headers.append({name.lower(): value for name, value in self.headers.items()})

    def _upload(self, data: bytes) -> None:
        found = _PART.search(data)
        assert found and b'name="purpose"\r\n\r\nbatch' in data
        name = f"file-{len(self.made.files) + 1}"
        self.made.files[name] = found[1]
        self._send({"id": name, "object": "file", "purpose": "batch"})

    def _create(self, path: str, body: dict[str, Any]) -> None:
        fault = self.made.faults.pop(0) if self.made.faults else ""
        if fault.isdigit():
            self._send({"error": {"message": "busy", "type": "overloaded_error"}}, int(fault))
            return
        if path == BATCHES:
            batch = self.made.create([(each["custom_id"], each["params"]) for each in body["requests"]])
        else:
            assert (body["endpoint"], body["completion_window"]) == ("/v1/chat/completions", "24h")
            rows = [json.loads(line) for line in self.made.files[body["input_file_id"]].splitlines()]
            assert {(row["method"], row["url"]) for row in rows} == {("POST", "/v1/chat/completions")}
            requests = [(row["custom_id"], row["body"]) for row in rows]
            batch = self.made.create(requests, body["metadata"]["benchwright"])
        if fault == "lose":
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(self._state(path, batch))

    def _list(self, path: str, query: dict[str, list[str]]) -> None:
        """Send a page of two entries, the latest first."""
        batches = list(reversed(self.made.batches.values()))
        after = (query.get("after") or query.get("after_id") or [""])[0]
        start = next((n + 1 for n, each in enumerate(batches) if each.id == after), 0)
        page = batches[start : start + 2]
        document = {"data": [self._state(path, each) for each in page], "has_more": len(batches) > start + 2}
        self._send({**document, "last_id": page[-1].id if page else None})

    def _state(self, path: str, batch: MadeBatch) -> dict[str, Any]:
        total, held = len(batch.requests), self.made.is_held
        if path.startswith(BATCHES):
            counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
            counts["processing" if held else "succeeded"] = total
            return {
                "id": batch.id,
                "type": "message_batch",
                "processing_status": "in_progress" if held else "ended",
                "request_counts": counts,
                "created_at": batch.created.isoformat().replace("+00:00", "Z"),
                "results_url": "http://evil.invalid/results",  # must not be used: requests carry the key
            }
        state = "in_progress" if held else self.made.ends(batch)
        files = {} if held or state == "failed" else self._openai_files(batch)
        return {
            "id": batch.id,
            "object": "batch",
            "status": state,
            "metadata": {"benchwright": batch.label},
            "request_counts": {"total": total, "completed": 0 if held else total, "failed": 0},
            "errors": {"data": self.made.errors} if state == "failed" else None,
            **files,
        }

    def _openai_files(self, batch: MadeBatch) -> dict[str, str]:
        rows = self.made.lines(batch, [line for _, line in _openai_lines(self.made, batch)])
        self.made.files[f"out-{batch.id}"] = b"\n".join(rows[::2]) + b"\n"
        self.made.files[f"err-{batch.id}"] = b"\n".join(rows[1::2])
        return {"output_file_id": f"out-{batch.id}", "error_file_id": f"err-{batch.id}"}

    def _results(self, batch: MadeBatch) -> bytes:
        lines = [
            _anthropic_line(custom_id, self.made.says(batch, body)) for custom_id, body in batch.requests
        ]
        return b"\n".join(self.made.lines(batch, [line for line in lines if line]))

    def _send(self, document: Any, status: int = 200) -> None:
        self._send_bytes(json.dumps(document).encode(), status)

    def _send_bytes(self, data: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""


def _openai_lines(made: BatchServer, batch: MadeBatch) -> Iterator[tuple[str, bytes]]:
    """Return the last request first: results have no order."""
    for custom_id, body in reversed(batch.requests):
        said = made.says(batch, body)
        row: dict[str, Any] = {
            "id": f"req_{custom_id}",
            "custom_id": custom_id,
            "error": None,
            "response": None,
        }
        if said is None:
            continue
        if isinstance(said, FailedRequest) and not said.status:
            row["error"] = {"code": said.error, "message": f"it says {said.error}"}
        elif isinstance(said, FailedRequest):
            error = {"error": {"message": said.error, "type": said.error}}
            row["response"] = {"status_code": said.status, "body": error}
        else:
            row["response"] = {"status_code": 200, "request_id": "r", "body": openai_reply(said)}
        yield custom_id, json.dumps(row).encode()


def openai_reply(text: str) -> dict[str, Any]:
    """Return a chat completion."""
    return {
        "object": "chat.completion",
        "model": "small",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10},
    }


def _anthropic_line(custom_id: str, said: Outcome) -> bytes:
    if said is None:
        return b""
    if isinstance(said, str):
        result: dict[str, Any] = {"type": "succeeded", "message": anthropic_reply(said, model="small")}
    elif said.status:
        error = {"type": "error", "error": {"type": said.error, "message": f"it says {said.error}"}}
        result = {"type": "errored", "error": error}
    else:
        result = {"type": {"batch_expired": "expired", "batch_cancelled": "canceled"}[said.error]}
    return json.dumps({"custom_id": custom_id, "result": result}).encode()

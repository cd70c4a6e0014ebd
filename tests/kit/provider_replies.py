"""Replies in the documented shapes of Anthropic and Gemini, written by hand, and a server that sends them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from benchwright.http_client import HttpReply


def anthropic_reply(text: str = "code", **changed: Any) -> dict[str, Any]:
    """Return a message; a change to None removes the field."""
    reply = {
        "id": "msg_01",
        "type": "message",
        "role": "assistant",
        "model": "claude-x-20260101",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 7, "output_tokens": 3, "cache_read_input_tokens": 2},
    }
    return {name: value for name, value in {**reply, **changed}.items() if value is not None}


def gemini_reply(text: str = "code", **changed: Any) -> dict[str, Any]:
    """Return a result of :generateContent; a change to None removes the field."""
    parts = [{"text": "hm", "thought": True}, {"text": text}]
    reply = {
        "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3, "thoughtsTokenCount": 2},
        "modelVersion": "gemini-x",
        "responseId": "r",
    }
    return {name: value for name, value in {**reply, **changed}.items() if value is not None}


def converse_reply(text: str = "code", **changed: Any) -> dict[str, Any]:
    """Return a result of Bedrock's Converse."""
    thought = {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "s"}}}
    reply = {
        "output": {"message": {"role": "assistant", "content": [thought, {"text": text}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 7, "outputTokens": 3, "totalTokens": 12, "cacheReadInputTokens": 2},
        "metrics": {"latencyMs": 5},
    }
    return {**reply, **changed}


def sent(reply: dict[str, Any], status: int = 200) -> HttpReply:
    """Return the reply in the form in which HTTP returns it."""
    return HttpReply(status, {}, json.dumps(reply).encode())


class _Server(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        """Send the next of the server's replies."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said: list[tuple[int, dict[str, Any]]] = self.server.said  # type: ignore[attr-defined]
        status, reply = said.pop(0) if len(said) > 1 else said[0]
        self.server.asked.append((self.path, dict(self.headers), body))  # type: ignore[attr-defined]
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(reply).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Write no log."""


@contextmanager
def replying(*said: tuple[int, dict[str, Any]]) -> Iterator[tuple[str, list[Any]]]:
    """Yield the address of a local server that sends these replies, repeating the last one, and its received
    requests."""
    with HTTPServer(("127.0.0.1", 0), _Server) as server:
        server.said, server.asked = list(said), []  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", server.asked  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()

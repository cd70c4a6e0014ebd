"""Each example is short, and works when it is installed beside the package."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from kit.command_line import Said, benchwright
from kit.plug_ins import EXAMPLES, install_example
from kit.small_data import gold_of, mera, read_rows

FILES = sorted(EXAMPLES.glob("*.py"))
MAX_LINES = 59


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_an_example_fits_on_a_screen(path: Path) -> None:
    """Under sixty lines, docstring and imports included."""
    assert len(path.read_text("utf-8").splitlines()) <= MAX_LINES


class Ollama(BaseHTTPRequestHandler):
    """Answers right, by Ollama's interface; the third request and every later one of a server find it overloaded."""

    def do_POST(self) -> None:
        """One reply."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked: list[Any] = self.server.asked  # type: ignore[attr-defined]
        asked.append((self.path, body))
        name, number = re.findall(r"def ((?:plus|times)_(\d+))", body["prompt"])[-1]
        text = f"def {name}(x):\n    return {gold_of(int(number))}\n"
        reply = {"response": text, "done_reason": "stop"}
        self.send_response(200 if len(asked) < 3 else 503)
        self.end_headers()
        self.wfile.write(json.dumps(reply).encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    """A server on this machine; `asked` are the paths and bodies that came."""
    with HTTPServer(("127.0.0.1", 0), Ollama) as made:
        made.asked = []  # type: ignore[attr-defined]
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(folder: Path, server: HTTPServer, *more: object) -> Said:
    """A run with the example's model on three tasks."""
    site = install_example(folder / "site", "ollama_model")
    fixed = [
        "--data",
        mera(folder),
        "--model",
        "ollama:small",
        "--out",
        folder / "run",
        "--workers",
        1,
        "--json",
    ]
    address = f"http://127.0.0.1:{server.server_port}"
    return benchwright(
        "run",
        "ruhumaneval",
        *fixed,
        "--base-url",
        address,
        "--n",
        1,
        *more,
        PYTHONPATH=str(site),
        NO_PROXY="127.0.0.1",
    )


@pytest.mark.usefixtures("jail")
def test_a_model_provider_is_asked_and_scored(tmp_path: Path, server: HTTPServer) -> None:
    """Two answers pass, with a seed each; what the server did not answer is missing, not wrong."""
    document = ask(tmp_path, server).document
    answered = [row for row in read_rows(tmp_path / "run" / "answers.jsonl") if not row.get("error")]
    asked = server.asked  # type: ignore[attr-defined]

    assert document["outcomes"] == {"passed": 2, "model_error": 1}
    assert [row["finish_reason"] for row in answered] == ["stop", "stop"]
    assert {path for path, _ in asked} == {"/api/generate"}
    assert len({body["options"]["seed"] for _, body in asked}) == 3


def test_a_model_provider_refuses_what_it_cannot_do(tmp_path: Path, server: HTTPServer) -> None:
    """An option that would be ignored is an error, before anything is asked."""
    said = ask(tmp_path, server, "--top-p", 0.5)

    assert (said.code, server.asked) == (2, [])  # type: ignore[attr-defined]
    assert "`ollama:` has no top_p here" in said.err

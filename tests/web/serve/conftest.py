"""An application that serves run folders, without a socket."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchwright.web.core.database import open_database
from benchwright.web.serve.application import PARTS, make_serve_application, serve_settings
from benchwright.web.serve.serve_parts import ServeParts

HOST = "127.0.0.1:8080"


class ServedFolders:
    """An application without a socket, and requests to it."""

    def __init__(self, database: Path, *folders: Path) -> None:
        self.database = open_database(database, PARTS)
        application = make_serve_application(folders, self.database, serve_settings(hosts=[HOST]))
        self.parts: ServeParts = application.state.serve
        self._runner = asyncio.Runner()
        self._client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=application),  # type: ignore[arg-type]
            base_url=f"http://{HOST}",
        )

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Return a page after the index is complete and its figures are computed."""
        self.run(self.parts.runs.complete())
        while True:
            found = self._runner.run(self._client.get(path, **options))
            if "refresh" not in found.headers:
                return found

    def run(self, work: Any) -> Any:
        """Run a coroutine in the application's loop."""
        return self._runner.run(work)

    def board(self) -> str:
        """Return the address of the first leaderboard."""
        found = re.search(r"/boards/[0-9a-f]+", self.get("/").text)
        assert found is not None
        return found[0]

    def key(self, name: str) -> str:
        """Return the key of a run."""
        state = self.run(self.parts.runs.complete())
        return str(next(run.key for run in state.runs.values() if run.name.split("/")[-1] == name))

    def close(self) -> None:
        """Close the child processes, the loop and the database."""
        self.run(self.parts.runs.child.close())
        self.run(self.parts.figures.close())
        self._runner.close()
        self.database.close()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Callable[..., ServedFolders]]:
    """Return a function that serves folders with a stored index."""
    made: list[ServedFolders] = []

    def make(*folders: Path) -> ServedFolders:
        for each in made:
            each.close()
        made[:] = [ServedFolders(tmp_path / "index.sqlite", *folders)]
        return made[0]

    yield make
    for each in made:
        each.close()

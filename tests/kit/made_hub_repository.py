"""Emulates the part of a Hugging Face hub that accepts data sets.

Requests are those of huggingface_hub: `repos/create`, `datasets/ID`, `preupload` with git hashes of the
files, and `commit` with the files as lines of JSON.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager

from kit.json_server import JsonAsked, Reply, serving_json


class MadeRepository:
    """One repository that a token may write to. `files` are its files, `commits` the number of commits."""

    def __init__(self, token: str, *, private: bool | None = None) -> None:
        self.token, self.private = token, private  # None: it does not exist yet
        self.files: dict[str, bytes] = {}
        self.commits = 0
        self.asked: list[str] = []

    def answer(self, asked: JsonAsked) -> Reply:
        """Return the reply to one request."""
        self.asked.append(f"{asked.method} {asked.path}")
        if asked.headers.get("authorization") != f"Bearer {self.token}":
            return 401, {"error": "Invalid username or password."}
        if asked.path == "/api/repos/create":
            return self._create(asked)
        if asked.path == "/api/validate-yaml":
            return 200, {"errors": [], "warnings": []}
        if "/preupload/" in asked.path:
            return 200, {"files": [self._mode(each["path"]) for each in asked.document["files"]]}
        if "/commit/" in asked.path:
            return self._commit(asked)
        commit = hashlib.sha1(b"%d" % self.commits).hexdigest()
        return 200, {"id": "me/runs", "sha": commit, "private": self.private, "siblings": [], "tags": []}

    def _create(self, asked: JsonAsked) -> Reply:
        name = f"{asked.document['organization']}/{asked.document['name']}"
        place = {"url": f"{_address(asked)}/datasets/{name}", "name": name, "id": name}
        if self.private is not None:
            return 409, {**place, "error": "You already created this dataset repo"}
        self.private = asked.document.get("visibility") == "private" or bool(asked.document.get("private"))
        return 200, place

    def _mode(self, path: str) -> dict[str, object]:
        mode: dict[str, object] = {"path": path, "uploadMode": "regular", "shouldIgnore": False}
        if path in self.files:
            data = self.files[path]
            mode["oid"] = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
        return mode

    def _commit(self, asked: JsonAsked) -> Reply:
        for line in asked.body.splitlines():
            entry = json.loads(line)
            if entry["key"] == "file":
                self.files[entry["value"]["path"]] = base64.b64decode(entry["value"]["content"])
        self.commits += 1
        commit = hashlib.sha1(b"%d" % self.commits).hexdigest()
        url = f"{_address(asked)}/datasets/me/runs/commit/{commit}"
        return 200, {"commitUrl": url, "commitOid": commit}


def _address(asked: JsonAsked) -> str:
    return f"http://{asked.headers['host']}"


@contextmanager
def serving_repository(repository: MadeRepository) -> Iterator[str]:
    """Serve it for the duration of the block; yield the hub's address."""
    with serving_json(repository.answer) as address:
        yield address

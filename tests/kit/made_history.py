"""Emulates GitHub's history of one repository on 127.0.0.1: REST with ETags and pages, and GraphQL.

Shapes of replies: https://docs.github.com/en/rest and https://docs.github.com/en/graphql. People, texts and
commits are invented.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from kit.made_github import Scripted

Record = dict[str, Any]
PAGE = 100


class Served(NamedTuple):
    """A request and the status of its reply."""

    method: str
    path: str
    status: int
    resource: str  # the path, or the variables of a query


def sha(text: str) -> str:
    """Return an invented commit id."""
    return hashlib.sha1(text.encode()).hexdigest()


def person(login: str) -> Record:
    """Return an account."""
    return {"login": login, "id": 1, "type": "Bot" if login.endswith("[bot]") else "User"}


class MadeHistory:
    """The state of a repository, and the log of requests. Tests change the state between two fetches."""

    def __init__(self, name: str = "acme/sums") -> None:
        self.name, self.id, self.private, self.api = name, 77, False, ""
        self.old_names: set[str] = set()
        self.items: dict[int, Record] = {}
        self.parts: dict[str, list[Record]] = {}  # by path below the repository
        self.threads: dict[int, list[Record]] = {}
        self.closing: dict[int, list[int]] = {}
        self.forced: dict[int, list[Record]] = {}
        self.lost: set[str] = set()  # missing commits
        self.log: list[Served] = []
        self.script: dict[int, Scripted] = {}  # faults by number of the request, from 0
        self.before: Callable[[int], None] = lambda number: None  # called before a request is answered
        self.count = 0

    # State.

    def issue(self, number: int, *, at: str, body: str = "It fails.", login: str = "ines") -> Record:
        """Add an issue."""
        self.items[number] = {
            "id": 1000 + number,
            "number": number,
            "title": f"Item {number}",
            "body": body,
            "user": person(login),
            "state": "open",
            "comments": 0,
            "created_at": at,
            "updated_at": at,
            "closed_at": None,
            "author_association": "NONE",
            "html_url": f"https://github.com/{self.name}/issues/{number}",
        }
        return self.items[number]

    def pull(self, number: int, *, at: str, login: str = "ada", merged: str = "") -> Record:
        """Add a pull request."""
        made = self.issue(number, at=at, login=login)
        made["pull_request"] = {"url": f"{self.api}/repos/{self.name}/pulls/{number}"}
        made["html_url"] = f"https://github.com/{self.name}/pull/{number}"
        self.parts[f"pulls/{number}"] = [
            {
                **made,
                "base": {"sha": sha("base"), "ref": "main"},
                "head": {"sha": sha(f"head {number}"), "label": f"{login}:topic"},
                "merged_at": merged or None,
                "closed_at": merged or None,
                "merge_commit_sha": sha(f"merge {number}") if merged else None,
                "merged_by": person("mona") if merged else None,
            }
        ]
        return self.parts[f"pulls/{number}"][0]

    def remark(self, number: int, native: int, body: str, *, at: str, reply_to: int = 0) -> Record:
        """Add a remark on line 3 of `sums.py`."""
        made = {
            "id": native,
            "node_id": f"PRRC_{native}",
            "path": "sums.py",
            "body": body,
            "user": person("grace"),
            "created_at": at,
            "updated_at": at,
            "diff_hunk": "@@ -0,0 +1,3 @@\n+import os\n+@cached\n+def add(a, b):",
            "commit_id": sha(f"head {number}"),
            "original_commit_id": sha(f"first {number}"),
            "position": 3,
            "line": 3,
            "original_line": 3,
            "side": "RIGHT",
            "author_association": "MEMBER",
            "html_url": f"https://github.com/{self.name}/pull/{number}#discussion_r{native}",
            "pull_request_url": f"{self.api}/repos/{self.name}/pulls/{number}",
        }
        if reply_to:
            made["in_reply_to_id"] = reply_to
        self.parts.setdefault(f"pulls/{number}/comments", []).append(made)
        return made

    def comment(self, number: int, native: int, body: str, *, at: str) -> Record:
        """Add a comment."""
        kind = "pull" if "pull_request" in self.items[number] else "issues"
        made = {
            "id": native,
            "body": body,
            "user": person("linus"),
            "created_at": at,
            "updated_at": at,
            "author_association": "CONTRIBUTOR",
            "html_url": f"https://github.com/{self.name}/{kind}/{number}#issuecomment-{native}",
            "issue_url": f"{self.api}/repos/{self.name}/issues/{number}",
        }
        self.parts.setdefault(f"issues/{number}/comments", []).append(made)
        self.items[number]["comments"] += 1
        return made

    def force_push(self, number: int, before: str, after: str, *, at: str) -> None:
        """Replace the head; REST's timeline does not have the earlier head."""
        node = f"HRFPE_{number}"
        self.forced.setdefault(number, []).append(
            {
                "id": node,
                "createdAt": at,
                "actor": {"login": "ada", "__typename": "User"},
                "beforeCommit": {"oid": sha(before)},
                "afterCommit": {"oid": sha(after)},
            }
        )
        timeline = self.parts.setdefault(f"issues/{number}/timeline", [])
        timeline.append(
            {
                "event": "head_ref_force_pushed",
                "id": 9000 + number,
                "node_id": node,
                "actor": person("ada"),
                "created_at": at,
                "commit_id": sha(after),
            }
        )

    def thread(self, number: int, root: int, *, resolved: bool = False, outdated: bool = False) -> None:
        """Add the state of a thread."""
        url = f"https://github.com/{self.name}/pull/{number}#discussion_r{root}"
        by = {"login": "ada", "__typename": "User"} if resolved else None
        self.threads.setdefault(number, []).append(
            {
                "isResolved": resolved,
                "isOutdated": outdated,
                "resolvedBy": by,
                "comments": {"nodes": [{"url": url}]},
            }
        )

    def touch(self, number: int, at: str) -> None:
        """Set the time of the last change."""
        self.items[number]["updated_at"] = at

    # Replies.

    def answer(self, method: str, target: str, headers: dict[str, str], body: bytes) -> Scripted:
        """Answer a request and log it."""
        number, self.count = self.count, self.count + 1
        self.before(number)
        parts = urlsplit(target)
        if number in self.script:
            reply, resource = self.script[number], target
        elif method == "POST":
            reply, resource = self._query(json.loads(body))
        else:
            reply, resource = self._rest(parts.path, dict(parse_qsl(parts.query)), headers), target
        self.log.append(Served(method, target, reply.status, resource))
        return reply

    def _rest(self, path: str, given: dict[str, str], headers: dict[str, str]) -> Scripted:
        found = re.fullmatch(r"/repos/([^/]+/[^/]+)(?:/(.*))?|/repositories/(\d+)(?:/(.*))?", path)
        if found is None or (found[3] and found[3] != str(self.id)):
            return _json(404, {"message": "Not Found"})
        tail = found[2] or found[4] or ""
        if found[1] and found[1] != self.name:
            if found[1] not in self.old_names:
                return _json(404, {"message": "Not Found"})
            place = f"{self.api}/repositories/{self.id}{'/' + tail if tail else ''}"
            return Scripted(301, {"location": place}, b'{"message": "Moved Permanently"}')
        if tail.startswith("commits/") and tail.split("/")[1] in self.lost:
            return _json(422, {"message": "No commit found for SHA"})
        return _conditional(self._resource(tail, given), headers)

    def _resource(self, tail: str, given: dict[str, str]) -> Scripted:
        if not tail:
            visible = {"private": self.private, "visibility": "private" if self.private else "public"}
            licence = {"spdx_id": "MIT"}
            return _json(200, {"id": self.id, "full_name": self.name, "license": licence, **visible})
        if tail == "issues":
            assert (given["sort"], given["direction"], given["state"]) == ("updated", "asc", "all")
            order = sorted(self.items.values(), key=lambda each: (each["updated_at"], each["number"]))
            return _paged([each for each in order if each["updated_at"] >= given["since"]], given)
        if re.fullmatch(r"pulls/\d+", tail):
            return _json(200, self.parts[tail][0])
        if re.fullmatch(r"commits/\w+/check-runs", tail):
            runs = self.parts.get(tail, [])
            return _json(200, {"total_count": len(runs), "check_runs": runs})
        if re.fullmatch(r"commits/\w+/status", tail):
            return _json(200, {"sha": tail.split("/")[1], "statuses": self.parts.get(tail, [])})
        return _paged(self.parts.get(tail, []), given)

    def _query(self, document: Any) -> tuple[Scripted, str]:
        given = document["variables"]
        assert f"{given['owner']}/{given['name']}" == self.name
        number = given["number"]
        closing = [
            {"number": each, "repository": {"nameWithOwner": self.name}}
            for each in self.closing.get(number, [])
        ]
        lists = {
            "reviewThreads": ("threads", self.threads.get(number, [])),
            "closingIssuesReferences": ("closing", closing),
            "timelineItems": ("forced", self.forced.get(number, [])),
        }
        pull = {
            name: _nodes(nodes, given[key])
            for name, (key, nodes) in lists.items()
            if given[f"with{key.title()}"]
        }
        limit = {"cost": 1, "remaining": 4999, "resetAt": "2026-01-01T00:00:00Z"}
        data = {"rateLimit": limit, "repository": {"pullRequest": pull}}
        return _json(200, {"data": data}), json.dumps(given, sort_keys=True)


def _nodes(nodes: list[Record], after: str | None) -> Record:
    start = int(after or 0)
    end = start + PAGE
    page = {"hasNextPage": end < len(nodes), "endCursor": str(end)}
    return {"pageInfo": page, "nodes": nodes[start:end]}


def _paged(entries: list[Record], given: dict[str, str]) -> Scripted:
    size, number = int(given["per_page"]), int(given["page"])
    reply = _json(200, entries[size * (number - 1) : size * number])
    more = (
        {"link": f'<http://127.0.0.1/x?page={number + 1}>; rel="next"'}
        if len(entries) > size * number
        else {}
    )
    return Scripted(200, {**reply.headers, **more}, reply.body)


def _json(status: int, document: object) -> Scripted:
    return Scripted(status, {}, json.dumps(document).encode())


def _conditional(reply: Scripted, headers: dict[str, str]) -> Scripted:
    tag = f'W/"{hashlib.sha256(reply.body).hexdigest()}"'
    limits = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4999", "etag": tag}
    if headers.get("if-none-match") == tag:
        return Scripted(304, {**reply.headers, **limits}, b"")
    return Scripted(reply.status, {**reply.headers, **limits}, reply.body)


@contextmanager
def serving_history(history: MadeHistory) -> Iterator[MadeHistory]:
    """Serve for the duration of the block."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self) -> None:
            """Answer one request; a reply whose length header is larger than its body is truncated."""
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            try:
                reply = history.answer(self.command, self.path, headers, body)
            except ConnectionAbortedError:  # the test ended the client
                self.close_connection = True
                return
            self.send_response_only(reply.status)
            for name, value in {"content-length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)
            self.close_connection = "content-length" in reply.headers

        do_GET = do_POST = reply

        def log_message(self, format: str, *args: Any) -> None:
            """Write no log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        history.api = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield history
        finally:
            server.shutdown()
            thread.join()

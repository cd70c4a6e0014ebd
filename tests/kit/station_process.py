"""A station in a separate process, started from the command line: it can be killed and started again."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx

from kit.processes import HANG_S

PASSWORD = "correct horse battery"
_CSRF = re.compile(r'name="csrf" value="([^"]*)"')
_PAGE = re.compile(r'name="page" value="([^"]*)"')
_LINK = re.compile(r"<code>(http[^<]*/invitations/[^<]*)</code>")


class StationProcess:
    """`benchwright judge serve` on some runs, at the same port after each start."""

    def __init__(self, folder: Path, *words: object) -> None:
        self.folder = folder
        self._words = [str(word) for word in words]
        self._port = 0
        self.owner: httpx.Client | None = None
        self.told: dict[str, Any] = {}
        self.start()

    def start(self) -> None:
        """Start the station, and wait until it prints its address."""
        command = [
            *(sys.executable, "-m", "benchwright", "judge", "serve", *self._words),
            *("--database", str(self.folder / "station.sqlite"), "--port", str(self._port), "--json"),
        ]
        self._errors = (self.folder / "errors.txt").open("ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._errors)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, (self.folder / "errors.txt").read_text()
        self.told = json.loads(line)
        self.address: str = self.told["address"]
        self._port = int(self.address.rpartition(":")[2])

    @property
    def project(self) -> str:
        """Return the project's id."""
        found: str = self.told["project"]["project_id"]
        return found

    def kill(self) -> None:
        """Kill it, as a power failure would."""
        self.process.kill()
        self.process.wait(HANG_S)
        self._close()

    def stop(self) -> int:
        """Ask it to end; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(HANG_S)
        self._close()
        if self.owner is not None:
            self.owner.close()
        return code

    def _close(self) -> None:
        if self.process.stdout is not None:
            self.process.stdout.close()
        self._errors.close()

    def set_up(self) -> httpx.Client:
        """Create the first account through the printed link; return a logged-in client."""
        self.owner = httpx.Client(base_url=self.address, timeout=HANG_S)
        page = self.owner.get(self.told["setup"])
        token = self.told["setup"].partition("token=")[2]
        given = {"token": token, "name": "owner", "password": PASSWORD, "csrf": _csrf(page.text)}
        answer = self.owner.post("/setup", data=given)
        assert answer.status_code == 303, answer.text
        return self.owner

    def invite(self, role: str = "judge") -> str:
        """Return a link that grants a role in the project."""
        owner = self.owner or self.set_up()
        path = f"/projects/{self.project}"
        given = {"role": role, "note": "", "csrf": _csrf(owner.get(path).text)}
        answer = owner.post(f"{path}/invitations", data=given)
        found = _LINK.search(answer.text)
        assert found is not None, answer.text
        return found[1]

    def judge_all(self, name: str, values: dict[str, str]) -> None:
        """Let a new judge give the same answer to every item, with plain forms."""
        link = self.invite()
        path = f"/judging/{self.project}"
        with httpx.Client(base_url=self.address, timeout=HANG_S, follow_redirects=True) as client:
            given = {"name": name, "password": PASSWORD, "csrf": _csrf(client.get(link).text)}
            client.post(link, data=given)
            page = client.get(path).text
            while "data-field" in page:
                token = _PAGE.search(page)
                assert token is not None
                said = {f"say-{field}": value for field, value in values.items()}
                form = {"csrf": _csrf(page), "page": token[1], "step": "submit", **said}
                page = client.post(path, data=form).text

    def report_one(self, name: str, reason: str) -> None:
        """Let a new judge report the first item, with plain forms."""
        link, path = self.invite(), f"/judging/{self.project}"
        with httpx.Client(base_url=self.address, timeout=HANG_S, follow_redirects=True) as client:
            given = {"name": name, "password": PASSWORD, "csrf": _csrf(client.get(link).text)}
            client.post(link, data=given)
            page = client.get(path).text
            token = _PAGE.search(page)
            assert token is not None
            form = {"csrf": _csrf(page), "page": token[1], "step": "report", "reason": reason}
            assert client.post(path, data=form).status_code == 200

    def votes(self) -> list[dict[str, Any]]:
        """Return the votes as the owner downloads them."""
        owner = self.owner or self.set_up()
        answer = owner.get(f"/projects/{self.project}/votes.jsonl")
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]


def _csrf(text: str) -> str:
    found = _CSRF.search(text)
    assert found is not None, text[:2000]
    return found[1]


def join(page: Any, link: str, name: str) -> None:
    """Accept an invitation in a browser."""
    page.goto(link)
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", PASSWORD)
    page.click("form button >> nth=0")
    page.wait_for_url("**/judging")

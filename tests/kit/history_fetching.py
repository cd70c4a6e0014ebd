"""Fetches an invented history in tests: its first state, a cleaner, a clock, and a process to kill.

`python -m kit.history_fetching API` reads folders from its input. For each folder it starts a process that
fetches into it, prints the process id, and prints its exit status when it has ended.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from benchwright.http_client import WaitingClock
from benchwright.records import Drop
from benchwright.sources.events import RepoEvent
from benchwright.sources.github import repository_fetch  # noqa: F401 (loaded once, not in each process)
from benchwright.sources.github.event_source import GitHubEvents
from kit.made_history import MadeHistory, sha

TOKEN = "ghp_a-secret-token"
T = "2024-05-{:02d}T10:00:00Z".format


class StarCleaner:
    """Replaces one secret, mentions and logins."""

    def text(self, text: str) -> str:
        for login in ("ada", "grace", "linus", "ines", "mona"):
            text = text.replace(f"@{login}", "@person")
        return text.replace("hunter2", "***")

    def person(self, identity: str) -> str:
        return f"p{sum(map(ord, identity))}"


class QuickClock:
    """A clock that advances instead of sleeping."""

    def __init__(self) -> None:
        self.moment, self.slept = 1_800_000_000.0, list[float]()

    def sleep(self, seconds: float) -> None:
        self.moment += seconds
        self.slept.append(seconds)

    def waiting(self) -> WaitingClock:
        return WaitingClock(lambda: self.moment, self.sleep)


def fill(made: MadeHistory) -> None:
    """Create the first state."""
    made.issue(1, at=T(1), body="It fails with password hunter2, says @ada")
    made.comment(1, 11, "Confirmed by @grace.", at=T(2))
    made.pull(2, at=T(3), merged=T(9))
    made.remark(2, 21, "Rename it.", at=T(4))
    made.remark(2, 22, "Done, @grace.", at=T(5), reply_to=21)
    made.remark(2, 23, "Shorter:\n```suggestion\n@cached\nreturn a + b\n```", at=T(5))
    made.comment(2, 24, "Thanks!", at=T(6))
    made.thread(2, 21, resolved=True, outdated=True)
    made.thread(2, 23)
    made.closing[2] = [1]
    made.force_push(2, "first 2", "head 2", at=T(7))
    made.parts["pulls/2/reviews"] = [
        {"id": 31, "state": "CHANGES_REQUESTED", "body": "", "user": {"login": "grace"}, "submitted_at": T(4)}
    ]
    made.parts[f"commits/{sha('head 2')}/check-runs"] = [
        {
            "id": 41,
            "name": "tests",
            "head_sha": sha("head 2"),
            "status": "completed",
            "conclusion": "success",
            "completed_at": T(8),
            "app": {"slug": "ci"},
        }
    ]
    made.parts["releases"] = [{"id": 51, "tag_name": "v1", "published_at": T(9), "author": {"login": "mona"}}]
    for number in (1, 2):
        made.touch(number, T(10))


def made_source(api: str, name: str = "acme/sums", **options: bool) -> GitHubEvents:
    """Return the source with its own clock."""
    return GitHubEvents(name, api=api, clock=QuickClock().waiting(), **options)


def fetch(
    history: MadeHistory,
    folder: Path,
    *,
    clock: QuickClock | None = None,
    name: str = "acme/sums",
    **options: bool,
) -> list[RepoEvent | Drop]:
    """Return all items of the source."""
    told: list[str] = []
    clock = clock or QuickClock()
    source = GitHubEvents(name, api=history.api, clock=clock.waiting(), **options)
    found = list(source.events(folder, StarCleaner(), told.append))
    assert TOKEN not in "".join(told)
    return found


def fetch_again_and_again(api: str) -> None:
    """Run the loop of the process that tests start."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                list(made_source(api).events(Path(line.rstrip("\n")), StarCleaner(), lambda text: None))
                status = 0
            finally:
                os._exit(status)
        _write(child)
        _write(os.waitpid(child, 0)[1])


def _write(number: int) -> None:
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    fetch_again_and_again(sys.argv[1])

"""The messages that a page gets about runs: everything at first, then changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec

from benchwright.asking.cost import money
from benchwright.display.escape import escaped_code, escaped_name, visible_name
from benchwright.display.wording import duration
from benchwright.records import TaskId
from benchwright.web.view.board import RunBoard
from benchwright.web.view.follower import FollowedRow, RunFollower, RunState

MOST_ROWS = 500  # answers of a page: those that arrived last
MAX_NAME = 200
MAX_KEY = 300
_NUMBER = re.compile(r"-?\d+")
_QUOTED = ('"', "sha256:")

Message = dict[str, Any]


class RowFilter(NamedTuple):
    """The rows of a page: of one outcome, and with a text in the task's name. Empty: all."""

    outcome: str = ""
    find: str = ""

    def admits(self, row: FollowedRow) -> bool:
        """Return whether a row is among them."""
        if self.outcome and row.outcome != self.outcome:
            return False
        return not self.find or self.find.lower() in task_name(row.task_id).lower()


def task_name(task_id: TaskId) -> str:
    """The name of a task on the page."""
    return visible_name(str(task_id)[:MAX_NAME])


def task_key(task_id: TaskId) -> str:
    """The key of a task in addresses: its id; as JSON if that could be another task's key, else a digest."""
    text = str(task_id)
    if isinstance(task_id, str) and (_NUMBER.fullmatch(text) or text.startswith(_QUOTED)):
        text = msgspec.json.encode(text).decode("utf-8", "replace")
    return text if len(text) <= MAX_KEY else f"sha256:{sha256(text.encode('utf-8', 'replace')).hexdigest()}"


def row_message(row: FollowedRow) -> Message:
    """A row as the page shows it."""
    key = task_key(row.task_id)
    return {
        "id": f"{row.sample}:{key}",
        "order": row.order,
        "task": task_name(row.task_id),
        "key": key,
        "sample": row.sample,
        "outcome": row.outcome,
        "tokens": row.tokens_out,
    }


def state_message(run: RunFollower) -> Message:
    """The state of a run as the page shows it."""
    state = run.state
    return {
        **state._asdict(),
        "why": escaped_code(state.why),
        "outcomes": dict(state.outcomes),
        "cost": None if state.cost is None else money(state.cost),
        "stage": stage_of(state),
        "left": time_left(state),
        "damaged_rows": [
            f"{escaped_name(each.file)}, line {each.line}: {escaped_name(each.why, MAX_NAME)}"
            for each in run.damaged
        ],
    }


def stage_of(state: RunState) -> str:
    """The stages of a run in progress; empty for others. Answers are judged while others are asked for."""
    if state.state != "running":
        return ""
    if not state.answered:
        return "self-check and first answers"
    if state.planned is None or state.answered < state.planned:
        return "asking and judging"
    return "judging" if state.judged < state.answered else "scoring"


def time_left(state: RunState) -> str:
    """The time until all answers are there, at the measured rate; empty if it is unknown."""
    if state.planned is None or not state.rate or state.answered >= state.planned:
        return ""
    return f"about {duration(60 * (state.planned - state.answered) / state.rate)}"


def run_message(key: str, run: RunFollower, board: RunBoard) -> Message:
    """A run in the list of runs."""
    identity = run.manifest.get("identity", {})
    return {
        "id": key,
        "name": board.name_of(key),
        "track": escaped_name(str(identity.get("track", ""))),
        "model": escaped_name(str(run.manifest.get("name") or run.manifest.get("model", "")), MAX_NAME),
        "started": escaped_name(str(run.manifest.get("started", ""))),
        **state_message(run),
    }


class _SentRows:
    """The rows that a page has, to send only what differs."""

    def __init__(self) -> None:
        self._rows: dict[str, Message] = {}
        self._has_sent = False

    def changes(self, rows: list[Message]) -> Message | None:
        """New and changed rows, and the ids of those that are gone; None if nothing has changed."""
        now = {row["id"]: row for row in rows}
        changed = [row for row in rows if self._rows.get(row["id"]) != row]
        removed = [each for each in self._rows if each not in now]
        is_first, self._has_sent, self._rows = not self._has_sent, True, now
        return {"rows": changed, "gone": removed} if changed or removed or is_first else None

    def everything(self) -> Message:
        """All rows that were sent."""
        return {"rows": list(self._rows.values()), "gone": []}


class RunListStream:
    """The messages of the page with the list of runs."""

    def __init__(self, board: RunBoard, *, keys: Callable[[], Collection[str]] | None = None) -> None:
        """`keys`: only these runs."""
        self._board, self._sent_rows, self._keys = board, _SentRows(), keys

    def message(self) -> Message | None:
        """The changes since the last message; None without changes."""

        def use(runs: dict[str, RunFollower]) -> Message | None:
            return self._sent_rows.changes([run_message(key, run, self._board) for key, run in runs.items()])

        found = self._board.with_runs(use, among=None if self._keys is None else self._keys())
        return None if found is None else {**found, "more": self._board.has_more}

    def everything(self) -> Message:
        """All runs of the messages so far."""
        return {**self._sent_rows.everything(), "more": self._board.has_more}


class RunStream:
    """The messages of the page of one run."""

    def __init__(self, board: RunBoard, key: str, wanted: RowFilter) -> None:
        self._board, self._key, self._filter = board, key, wanted
        self._sent_rows, self._version, self._is_gone = _SentRows(), -1, False
        self._rest: Message = {}  # of the last message, without the rows

    def message(self) -> Message | None:
        """The changes since the last message; None without changes."""
        found = self._board.with_run(self._key, self._changes)
        if found is None and not self._is_gone:
            self._is_gone = True
            return {"rows": [], "gone": [], "missing": True}
        return found or None

    def everything(self) -> Message:
        """The run and its rows as the messages so far have said."""
        if self._is_gone:
            return {"rows": [], "gone": [], "missing": True}
        return {**self._sent_rows.everything(), **self._rest}

    def _changes(self, run: RunFollower) -> Message:
        if run.version == self._version:
            return {}
        self._version, self._is_gone = run.version, False
        messages: list[Message] = []
        matching = 0
        for row in run.newest():
            if self._filter.admits(row):
                matching += 1
                if len(messages) < MOST_ROWS:
                    messages.append(row_message(row))
        message = self._sent_rows.changes(messages) or {"rows": [], "gone": []}
        self._rest = {"matching": matching, "state": state_message(run)}
        return {**message, **self._rest}

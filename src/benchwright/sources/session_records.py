"""Opt-in logs of development sessions: the record of one line, and the events of a session.

A session is a person's or an agent's work on one task. Its steps are numbered: many logs have no times.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from benchwright.records import Record
from benchwright.sources.event_maker import EventMaker, excerpt, utc_time
from benchwright.sources.events import FileVersion, RepoEvent
from benchwright.text.test_commands import is_test_command, state_of_tests

SOURCE = "sessions"


class SessionLine(Record, frozen=True, kw_only=True):
    """One line of a session log. The first line of a session has the kind "session"."""

    kind: Literal["session", "edit", "command", "test", "tool", "message", "error"]
    session: str  # unique in the file
    at: str = ""  # ISO 8601
    consent: str = ""  # of a session: who agreed to the use of this log, for what, and when
    repo: str = ""  # of a session: "owner/name"
    actor: str = ""  # of a session: a login or an e-mail address, stored as a pseudonym
    agent: str = ""  # of a session: the program that worked, if no person did
    commit: str = ""  # of a session: HEAD at its beginning
    task: str = ""  # of a session: what was to be done
    issue: str = ""  # of a session: "#3" or "owner/name#3"
    licence: str = ""  # of a session: SPDX
    guard: Literal["", "test_split", "canary"] = ""  # of a session that training exports refuse
    path: str = ""  # of an edit
    old_path: str = ""  # of an edit that renames
    status: Literal["added", "modified", "deleted", "renamed"] = "modified"  # of an edit
    diff: str = ""  # of an edit: hunks of a unified diff
    command: str = ""  # of a command or a test run
    exit_code: int | None = None  # of a command or a test run
    output: str = ""  # of a command, a test run or a tool
    state: Literal["", "passed", "failed", "error"] = ""  # of a test run; by default the exit code decides
    tool: str = ""  # of a tool: its name
    arguments: dict[str, Any] = {}  # of a tool
    role: Literal["", "user", "assistant", "system"] = ""  # of a message
    text: str = ""  # of a message or an error


class SessionSteps:
    """Makes the events of one session. Steps are numbered in the order of the calls."""

    def __init__(
        self, maker: EventMaker, session: str, *, actor: str = "", agent: str = "", guard: str = ""
    ) -> None:
        self._maker, self._session, self._actor = maker._replace(series="step"), session, actor
        self._agent, self._guard, self._count = agent, guard, 0

    def event(self, kind: str, *, by_user: bool = False, **parts: Any) -> RepoEvent:
        """One step, with the program that worked as its tool, unless a user did it."""
        self._count += 1
        subject = f"session:{self._session}"
        parts = {"tool": "" if by_user else self._agent, **parts}
        return self._maker.event(
            kind,
            f"{self._session}/{self._count:06d}",
            subject=subject,
            pull=subject,
            actor="" if by_user else self._actor,
            guard=self._guard,
            **parts,
        )

    def opened(self, text: str, *, at: str = "", commit: str = "", cites: Sequence[str] = ()) -> RepoEvent:
        """The beginning of the session: its task, and the commit that it began with."""
        heads = [commit] if commit else []
        return self.event("issue_opened", by_user=True, at=at, text=text, heads=heads, cites=list(cites))

    def chat_message(self, role: str, text: str, *, at: str = "") -> RepoEvent:
        """A message of the user, the system or the assistant, which is a program."""
        is_answer = role == "assistant"
        return self.event("comment", by_user=not is_answer, bot=is_answer, at=at, text=text, state=role)

    def edited(self, files: Sequence[FileVersion], diff: str, *, at: str = "") -> RepoEvent:
        """An edit of files, with the changed lines as a diff."""
        return self.event("code_written", at=at, files=files, text=excerpt(diff))

    def ran(
        self, command: str, output: str, exit_code: int | None, *, at: str = "", tool: str = ""
    ) -> RepoEvent:
        """A command, or a test run if its program is known to run tests, with the log."""
        text = excerpt(f"$ {command}\n{output}" if output else f"$ {command}")
        tool_field: dict[str, Any] = {"tool": tool} if tool else {}
        result = state_of_tests(output, exit_code) if is_test_command(command) else ""
        if result:
            return self.event("test_result", at=at, text=text, state=result, **tool_field)
        state = "" if exit_code is None else f"exit {exit_code}"
        return self.event("command", at=at, text=text, state=state, **tool_field)

    def tested(self, state: str, text: str, *, at: str = "", tool: str = "", commit: str = "") -> RepoEvent:
        """The result of a test run: "passed", "failed" or "error"."""
        tool_field: dict[str, Any] = {"tool": tool} if tool else {}
        heads = [commit] if commit else []
        return self.event("test_result", at=at, text=excerpt(text), state=state, heads=heads, **tool_field)

    def ended(self, status: str) -> RepoEvent:
        """The end of the session, as the agent's program states it: "submitted", "exit_cost"."""
        return self.event("command", state=f"ended: {status[:100]}")


def command_and_output(text: str) -> tuple[str, str]:
    """The command and the log in the text of an event `command` or `test_result`.

    The further lines of a command of several lines count as its log.
    """
    first, _, rest = text.partition("\n")
    return (first[2:], rest) if first.startswith("$ ") else ("", text)


def steps_of_lines(
    header: SessionLine, lines: Sequence[SessionLine], maker: EventMaker
) -> Iterator[RepoEvent]:
    """The events of one session of our own format: its header, then its other lines in their order."""
    maker = maker._replace(repo=header.repo or maker.repo, licence=header.licence or maker.licence)
    steps = SessionSteps(maker, header.session, actor=header.actor, agent=header.agent, guard=header.guard)
    cites = (
        [f"issue:{header.issue[1:]}" if header.issue.startswith("#") else header.issue]
        if header.issue
        else []
    )
    yield steps.opened(header.task, at=utc_time(header.at), commit=header.commit, cites=cites)
    for line in lines:
        yield _step(line, steps, utc_time(line.at))


def _step(line: SessionLine, steps: SessionSteps, at: str) -> RepoEvent:
    match line.kind:
        case "edit":
            added, removed = changed_lines(line.diff)
            file = FileVersion(
                path=line.path, old_path=line.old_path, status=line.status, added=added, removed=removed
            )
            return steps.edited([file], line.diff, at=at)
        case "test":
            state = line.state or ("failed" if line.exit_code else "passed")
            return steps.tested(state, f"$ {line.command}\n{line.output}", at=at, tool=line.tool)
        case "command":
            return steps.ran(line.command, line.output, line.exit_code, at=at)
        case "tool":
            arguments_json = (
                msgspec.json.encode(line.arguments, order="sorted").decode() if line.arguments else ""
            )
            text = excerpt(f"$ {line.tool} {arguments_json}".rstrip() + f"\n{line.output}")
            return steps.event("command", at=at, text=text, tool=line.tool)
        case "error":
            return steps.event("error_report", at=at, text=excerpt(line.text))
        case _:
            return steps.chat_message(line.role or "user", line.text, at=at)


def changed_lines(diff: str) -> tuple[int, int]:
    """The number of added and removed lines in hunks of a unified diff."""
    lines = [line for line in diff.split("\n") if not line.startswith(("+++ ", "--- "))]
    added = sum(line.startswith("+") for line in lines)
    return added, sum(line.startswith("-") for line in lines)

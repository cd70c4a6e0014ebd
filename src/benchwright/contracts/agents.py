"""The agent Protocol, and the records of a conversation about one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from benchwright.contracts.tracks import Track
from benchwright.records import Answer, Record, Task, TaskId, Verdict


class ToolCall(Record, frozen=True, kw_only=True):
    """A call of a tool that a model asked for, and the tool's result as the model is shown it."""

    name: str
    arguments: dict[str, Any] = {}
    result: str = ""


class Turn(Record, frozen=True, kw_only=True):
    """One exchange: the text sent to the model, its answer, and the tool calls that were then executed."""

    asked: str = ""  # empty for the first turn of a run without tasks in its folder
    answered: str
    calls: list[ToolCall] = []


class ToolExecution(Record, frozen=True, kw_only=True):
    """The executed tool calls of one turn. `key` is that of the answer that asked for them."""

    key: str
    task_id: TaskId
    sample: int
    round: int = 0
    calls: list[ToolCall]
    files: dict[str, bytes] = {}  # of the workspace after them, by path


class Trajectory(Record, frozen=True, kw_only=True):
    """All turns that led to one answer of a run, in order. `key` is that of the answer."""

    key: str
    task_id: TaskId
    sample: int
    turns: list[Turn]


class Attempt(NamedTuple):
    """Facts from which an agent decides how the conversation continues."""

    task: Task
    answer: Answer
    calls: Sequence[ToolCall]  # of this turn, with their results
    verdict: Verdict | None  # of the answer; None where the agent is not `judged`
    language: str  # of the prompts: "en" or "ru"


class Agent(Protocol):
    """Leads a conversation with the model about each task; the model's last answer counts.

    An agent is a set of pure functions of what is stored: a run that was killed calls them again, and must
    get the same texts. Whatever has an effect is a tool. Tools are executed in the sandbox, in a folder that
    lasts from turn to turn of one answer; their results are stored.
    """

    name: str
    rounds: int  # turns after the first one, at most, where the user does not say
    judged: bool  # each answer is judged before `reply` is called; one that passed ends the conversation
    system: str  # system message of the first prompt; empty for none
    tools: Mapping[str, str]  # by name: Python source that defines a function of that name, returning a str

    def check(self, track: Track) -> None:
        """Raise UsageError for a track whose answers the agent cannot work on."""
        ...

    def calls(self, answer: Answer) -> Sequence[ToolCall]:
        """Return the tool calls that an answer asks for, in order, those of unknown tools too."""
        ...

    def reply(self, attempt: Attempt) -> str | None:
        """Return the next message to the model, or None to end the conversation with this answer."""
        ...

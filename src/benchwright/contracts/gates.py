"""Gates: what decides whether a candidate becomes a task."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, runtime_checkable

from benchwright.records import Record


class Subject(Protocol):
    """A candidate, as every gate may see it."""

    @property
    def unit(self) -> str:
        """How drops and messages name it."""
        ...

    @property
    def revision(self) -> str:
        """The content key of all that decides what it is."""
        ...


S_contra = TypeVar("S_contra", bound=Subject, contravariant=True)


class Decision(Record, frozen=True, kw_only=True):
    """What a gate decides. Without a `reason` the candidate may stay."""

    reason: str = ""  # a code to count by: small letters, digits and underscores
    detail: str = ""
    evidence: dict[str, Any] = {}  # what the decision rests on, ready for JSON
    cpu_s: float = 0.0  # processor seconds of what was executed for it


KEEP = Decision()


class Admission(Record, frozen=True, kw_only=True):
    """What the gates of a build found out about a candidate that they kept, those with evidence or cost."""

    unit: str
    revision: str
    decisions: dict[str, Decision]  # by the gate's name


class Gate(Protocol[S_contra]):
    """Decides over one candidate at a time."""

    @property
    def name(self) -> str:
        """As the registry has it."""
        ...

    @property
    def version(self) -> int:
        """Raised whenever the same candidate may be decided otherwise than before."""
        ...

    def decide(self, candidate: S_contra) -> Decision:
        """Keep it, or a reason. Equal candidates in equal order get equal decisions."""
        ...


@runtime_checkable
class Remembering(Protocol[S_contra]):
    """A gate whose decisions hang on what was kept before: a bound on numbers, a search for doubles."""

    def remember(self, candidate: S_contra) -> None:
        """Called for each candidate that every gate has kept, right after `decide`."""
        ...


# What the registry holds: opens a gate for one build, with the bounds of its recipe. Raises UsageError or
# PrerequisiteError where it cannot decide here.
GateOpener = Callable[[Any], Gate[Any]]

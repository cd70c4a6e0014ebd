"""Contracts of builds: sources find material for tasks, gates decide which candidates become tasks, and a
recipe is a whole builder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from benchwright.records import Drop, Record

if TYPE_CHECKING:
    import click

    from benchwright.progress import Watcher


class LicensedRecord(Protocol):
    """A collected record with a licence."""

    @property
    def licence(self) -> str:
        """SPDX identifier; empty if it is not known with certainty."""
        ...


C_co = TypeVar("C_co", bound=LicensedRecord, covariant=True)


class Item(NamedTuple, Generic[C_co]):
    """One record of a source. `origin` identifies it in drops and messages: an address, a folder."""

    origin: str
    record: C_co


class Inventory(NamedTuple, Generic[C_co]):
    """The records that a source found: `items` fetches them one by one and yields exactly `total`."""

    total: int
    items: Iterator[Item[C_co] | Drop]
    notes: list[str] = []  # remarks for people, included in the manifest and the card


class Source(Protocol[C_co]):
    """A source of records for builds. It is opened and checked before anything is written."""

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[C_co]:
        """List the available records; `tell` receives progress messages for the user.

        Files are stored below `folder`, which belongs to the build. Called again with the same folder, a
        source returns the same list and fetches nothing twice. A record that cannot be fetched is a Drop
        with a reason.
        """
        ...


class SourceOpener(Protocol):
    """Opens a source by the text after its name and a colon. The registry contains openers.

    Records under none of `licences` will not be used, so a source may return them as drops.
    """

    def __call__(self, rest: str, *, licences: Collection[str]) -> Source[Any]:
        """Open the source. Raises UsageError for an invalid text."""
        ...


class Subject(Protocol):
    """The part of a candidate that all gates can see."""

    @property
    def unit(self) -> str:
        """Its identifier in drops and messages."""
        ...

    @property
    def revision(self) -> str:
        """Content key of everything that defines it."""
        ...


S_contra = TypeVar("S_contra", bound=Subject, contravariant=True)


class Decision(Record, frozen=True, kw_only=True):
    """Decision of a gate. Without a `reason` the candidate is kept."""

    reason: str = ""  # a code of lower-case letters, digits and underscores
    detail: str = ""
    evidence: dict[str, Any] = {}  # evidence for the decision, as JSON data
    cpu_s: float = 0.0  # CPU seconds of executions for the decision


KEEP = Decision()


class Admission(Record, frozen=True, kw_only=True):
    """Decisions of a build's gates about a kept candidate, if they have evidence or cost."""

    unit: str
    revision: str
    decisions: dict[str, Decision]  # by the gate's name


class Gate(Protocol[S_contra]):
    """Decides about candidates, one at a time."""

    @property
    def name(self) -> str:
        """Name in the registry."""
        ...

    @property
    def version(self) -> int:
        """Incremented whenever a decision about the same candidate may change."""
        ...

    def decide(self, candidate: S_contra) -> Decision:
        """Decide about a candidate. Equal candidates in equal order get equal decisions."""
        ...


@runtime_checkable
class StatefulGate(Protocol[S_contra]):
    """A gate whose decisions depend on the candidates kept before, such as a quota or a duplicate check."""

    def remember(self, candidate: S_contra) -> None:
        """Record a candidate that all gates have kept; called right after `decide`."""
        ...


# Opens a gate for one build, with the bounds of its recipe; the registry contains openers. Raises
# UsageError, or PrerequisiteError if the gate cannot work on this machine.
GateOpener = Callable[[Any], Gate[Any]]


# Recipes: whole builders, each a verb of `benchwright build`.


class FinishedBuild(Protocol):
    """A build that has written its card (README.md) and its manifest (manifest.json)."""

    @property
    def folder(self) -> str:
        """The folder of the build."""
        ...

    @property
    def manifest(self) -> dict[str, Any]:
        """The content of manifest.json, with the SHA-256 of each data file."""
        ...

    @property
    def levels(self) -> Sequence[Record]:
        """The funnel: records in, kept and dropped, by stage."""
        ...


class RecipeStage(Protocol):
    """One step of a recipe, as listings and tests see it; `building.engine.stages.Stage` is one."""

    @property
    def name(self) -> str:
        """Unique within the recipe; part of the names of the stage's files."""
        ...

    @property
    def unit(self) -> str:
        """The unit that the stage counts: "repositories", "rows"."""
        ...

    @property
    def after(self) -> tuple[str, ...]:
        """The stages whose records it reads; empty for a stage that reads the sources."""
        ...


class BuildRecipe(Protocol):
    """A builder. `benchwright build NAME` runs its command."""

    @property
    def name(self) -> str:
        """The name in the registry."""
        ...

    @property
    def command(self) -> click.Command:
        """The command with its options. It calls `build` and prints the result."""
        ...

    @property
    def stages(self) -> Sequence[RecipeStage]:
        """The pipeline, in order. A build may leave out stages that were not requested."""
        ...

    def build(self, options: Any, out: Path, /, *, watch: Watcher | None = None) -> FinishedBuild:
        """Build into a folder. The same call resumes an interrupted build and executes nothing twice.

        Raises UsageError for invalid options before anything is written, DataError if no row is left.
        """
        ...

"""The parts of a build: sources find records, gates decide which candidates become tasks, and a recipe is a
whole builder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from benchwright.records import Drop, Record

if TYPE_CHECKING:
    import click

    from benchwright.progress import Watcher

# Sources: connectors that find what a builder makes tasks of, and get it.


class Licensed(Protocol):
    """Whatever is collected says under which licence it is."""

    @property
    def licence(self) -> str:
        """SPDX; empty where it is not surely known."""
        ...


C_co = TypeVar("C_co", bound=Licensed, covariant=True)


class Item(NamedTuple, Generic[C_co]):
    """One record that a source got. `origin` is how drops and messages name it: an address, a folder."""

    origin: str
    record: C_co


class Inventory(NamedTuple, Generic[C_co]):
    """What a source found: `items` gets one after the other as it is read, and yields exactly `total`."""

    total: int
    items: Iterator[Item[C_co] | Drop]
    notes: list[str] = []  # what people should know of it; stands in the manifest and in the card


class Source(Protocol[C_co]):
    """Finds records for a builder. Opened and checked before anything is written."""

    def collect(self, folder: Path, tell: Callable[[str], None]) -> Inventory[C_co]:
        """List what there is; `tell` is given what the user should read meanwhile.

        What is stored lies below `folder`, the build's own. Called there again, a source gives the list that
        it gave before and does not get anew what it has. What cannot be had is a Drop, with a reason.
        """
        ...


class SourceOpener(Protocol):
    """What the registry holds: opens a source by what follows its name and a colon.

    What is under none of `licences` will not be used, so a source may leave it out, as drops.
    """

    def __call__(self, rest: str, *, licences: Collection[str]) -> Source[Any]:
        """Raises UsageError for what cannot be meant."""
        ...


# Gates: what decides whether a candidate becomes a task.


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
    """One step of a recipe, as listings and tests see it; `building.stages.Stage` is one."""

    @property
    def name(self) -> str:
        """Unique within the recipe; part of the names of the stage's files."""
        ...

    @property
    def unit(self) -> str:
        """What the stage counts: "repositories", "rows"."""
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

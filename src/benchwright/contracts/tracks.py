"""What a track must offer: how rows are read, asked, judged and scored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Protocol

from benchwright.contracts.measures import MeasureSet
from benchwright.contracts.specs import Spec
from benchwright.records import Answer, Record, Task


class Extraction(Record, frozen=True, kw_only=True):
    """A program taken from a model's raw text.

    `problem` is None when `program` can be run, else the outcome to record: no_code, syntax_error
    or no_entry_point. `rule` names how the text was read, for example "fence+function".
    """

    program: str
    rule: str
    problem: str | None = None
    detail: str = ""
    truncated: bool = False


class Question(Record, frozen=True, kw_only=True):
    """One way to ask a task: the variant's name and the text in the form that the model reads."""

    variant: str
    text: str


class Track(Protocol):
    """A kind of task: how rows are read, asked, and judged."""

    name: str
    title: str
    default_n: int
    ks: tuple[int, ...]
    temperature: float  # of sampling, when the user says nothing
    language: str  # of the prompts, when the user says nothing: "ru" or "en"
    profiles: tuple[str, ...]  # scoring profiles that it knows, "strict" among them
    measures: MeasureSet
    executes: bool  # whether answers are programs that are run; else what they say is compared with the gold

    def in_form(self, form: str) -> Track:
        """The same track judged in another form ("calls", "batch"). Raises UsageError for an unknown one."""
        ...

    def load(self, source: str | Path) -> Iterator[Task]:
        """Read and check a data set. Raises DataError with file, line, field and hint.

        The file may be packed with gzip whatever its name: the copy in a run folder is, see `store.sources`.
        A track that also takes `refuse=`, a callable, tells it of each row that is no task, and goes on with
        the others: so `check` can name every fault of a data set.
        """
        ...

    def prompt(self, task: Task) -> str:
        """The row's own question: its instruction, filled, or the code to go on from."""
        ...

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """All prompt variants of a task, always in the same order. `form` is "chat" or "base"."""
        ...

    def gold(self, task: Task) -> str | None:
        """An answer that must pass; None when the data set holds none (private tasks)."""
        ...

    def stub(self, task: Task) -> str:
        """An answer that must fail."""
        ...

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Take the program from an answer, by the rules of a scoring profile."""
        ...

    def spec(self, task: Task, *, profile: str) -> Spec:
        """What the judge needs to judge answers to this task."""
        ...


class ExportableTrack(Track, Protocol):
    """A track that can write the row that a task was read from."""

    def to_row(self, task: Task) -> dict[str, Any]:
        """The task's row, with unknown fields."""
        ...


class TrackDefaults:
    """Optional members of a track, with defaults. `tracks.base.TrackBase` has them."""

    judging: int = (
        0  # revision of judging that last changed its verdicts: its older runs keep theirs; 0: the newest
    )
    wordings: int = 1  # version of the prompt wordings; runs with different wordings are different runs

    def refusal(self, task: Task) -> str:
        """Why answers to a task cannot be judged; empty if they can. A run skips and reports such tasks."""
        return ""

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Create what the tasks need on this machine before answers are executed.

        `note` is called before a slow step. Raises a BenchwrightError.
        """


def with_defaults(track: Track) -> TrackDefaults:
    """The track, or for one of another package its members, with defaults for those that it lacks."""
    if isinstance(track, TrackDefaults):
        return track
    members = TrackDefaults()
    optional = (name for name in vars(TrackDefaults) if not name.startswith("_"))
    vars(members).update({name: getattr(track, name) for name in optional if hasattr(track, name)})
    return members

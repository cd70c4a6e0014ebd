"""Contract of a track: read rows, ask, extract and judge answers, and compute scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from benchwright.contracts.measures import MeasureSet
from benchwright.contracts.specs import Spec
from benchwright.errors import UsageError
from benchwright.records import Answer, Record, Task


class Extraction(Record, frozen=True, kw_only=True):
    """The program, or another thing to judge, extracted from a model's answer.

    `problem` is None if `program` can be judged, else the outcome to record: no_code, syntax_error
    or no_entry_point. `rule` names the extraction rule, for example "fence+function".
    """

    program: str
    rule: str
    problem: str | None = None
    detail: str = ""
    truncated: bool = False
    text: str = ""  # the whole answer, where graders judge more than the program
    measured: dict[str, float] = {}  # of its request, where known: tokens_in, tokens_out, seconds, batch


class Question(Record, frozen=True, kw_only=True):
    """One prompt of a task: the name of its variant, and the text that the model reads."""

    variant: str
    text: str


class Track(Protocol):
    """A kind of task. `tracks.base.TrackBase` implements what most tracks have in common."""

    name: str
    title: str
    default_n: int
    ks: tuple[int, ...]
    temperature: float  # default sampling temperature
    language: str  # default language of the prompts, such as "ru" or "en"
    profiles: tuple[str, ...]  # scoring profiles, including "strict"
    measures: MeasureSet
    executes: bool  # True: answers are programs that are executed; False: they are compared with the gold

    def in_form(self, form: str) -> Track:
        """The same track judged in another form ("calls", "batch"). Raises UsageError for an unknown one."""
        ...

    def load(self, source: str | Path) -> Iterator[Task]:
        """Read and check a data set. Raises DataError with file, line, field and hint.

        The file may be compressed with gzip whatever its name, as the copy in a run folder is
        (`store.data_files`). If a track also accepts `refuse=`, it calls it with the error of each invalid
        row and continues, so that `check` can list all errors of a data set.
        """
        ...

    def prompt(self, task: Task) -> str:
        """The row's own prompt: its instruction with the inputs filled in, or the code to complete."""
        ...

    def questions(self, task: Task, *, language: str, form: str) -> list[Question]:
        """All prompts of a task, always in the same order. `form` is "chat" or "base"."""
        ...

    def gold(self, task: Task) -> str | None:
        """An answer that must pass; None if the data set has none (private tasks)."""
        ...

    def stub(self, task: Task) -> str:
        """An answer that must fail."""
        ...

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract what is judged from an answer, by the rules of a scoring profile. Never raises."""
        ...

    def spec(self, task: Task, *, profile: str) -> Spec:
        """The spec by which answers to a task are judged."""
        ...


class ExportableTrack(Track, Protocol):
    """A track that can write the row that a task was read from."""

    def to_row(self, task: Task) -> dict[str, Any]:
        """The task's row, with unknown fields."""
        ...


@runtime_checkable
class RepositoryTrack(Protocol):
    """A track whose answers are judged in clones of repositories."""

    def in_repositories(self, folder: Path) -> Track:
        """The track with the folder that has the clones. Raises UsageError for a missing folder."""
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

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, Any]:
        """Values of the fields in the prompts, by name."""
        return {}

    def measured(self, task: Task) -> frozenset[str]:
        """Measurements of a request that decide the verdict: "cost", "seconds". Empty for most tasks."""
        return frozenset()

    def mapped(self, data: str, *, columns: Mapping[str, str], values: Mapping[str, str]) -> str:
        """The data set with a field map, as `load` reads it. Raises UsageError for a map that does not fit.

        `columns` is {column: field}, `values` the text of fields that are equal in all rows. Without both,
        the data set as it is.
        """
        if columns or values:
            option = "--map" if columns else "--set"
            message = f"{option}: rows of this track are read by their own fields"
            raise UsageError(message, hint="use it with the track `own`")
        return data

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

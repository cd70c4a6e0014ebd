"""MultiPL-E: HumanEval and MBPP in other languages, judged by MultiPL-E's own tests.

Cassano et al. 2023 (https://arxiv.org/abs/2208.08227). Go and Java are supported, because their suites can be
executed: `multipl.go` and `multipl.java` convert a row into an answer's file and its tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchwright import registry
from benchwright.contracts import Extraction, SuiteAnswerSpec
from benchwright.records import Answer, Task
from benchwright.tracks.completion import CompletionTrack
from benchwright.tracks.known_profile import known_profile
from benchwright.tracks.multipl import MULTIPL
from benchwright.tracks.multipl.answers import PROFILES, take_file
from benchwright.tracks.multipl.rows import form_of, parts_of, read_task, to_row
from benchwright.tracks.rows import Fields
from benchwright.tracks.wordings import fence


class MultiPL(CompletionTrack, declaration=MULTIPL):
    """Track of MultiPL-E rows in Go and Java."""

    prompt_kind = "multipl"

    def __init__(self) -> None:
        self._ready: set[str] = (
            set()
        )  # languages; a run calls `prepare` before the self-check and before the answers

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The head of the function, for a base model to continue."""
        text: str = task.inputs["function"]
        return text

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """The head of the function, and the language by name and by the tag of a fence."""
        function = task.inputs["function"]
        return {
            "function": function if form == "base" else function.strip("\n"),
            "fence": fence(function),
            "lang": form_of(task).lang,
            "tag": form_of(task).tag,
        }

    def gold(self, task: Task) -> str | None:
        """The row's solution; published rows have none."""
        solution = task.meta.get("canonical_solution")
        return solution if isinstance(solution, str) and solution else None

    def stub(self, task: Task) -> str:
        """A body that always fails."""
        return form_of(task).stub

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the answer's file, by the rules of a scoring profile."""
        stops = task.meta["stop_tokens"]
        return take_file(answer, form_of(task), parts_of(task), stops=stops, profile=profile)

    def spec(self, task: Task, *, profile: str) -> SuiteAnswerSpec:
        """The tests as a suite without the answer's file."""
        known_profile(profile, PROFILES, track=self.name)
        return form_of(task).spec(parts_of(task))

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Prepare the toolchain of each language before the first answer. Raises PrerequisiteError."""
        make_ready = registry.find("judge", "suite-answer").make_ready
        for lang, task in {form_of(task).lang: task for task in tasks}.items():
            if lang not in self._ready:
                note(f"preparing {lang}; the first use on this machine takes longer")
                make_ready(self.spec(task, profile=PROFILES[0]))
                self._ready.add(lang)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return to_row(task)


TRACK = MultiPL()

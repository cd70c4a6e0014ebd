"""Review remarks: given code and a remark, write the new lines; judged by tests or a reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from benchwright import registry
from benchwright.contracts import Extraction, MeasureSet, RefineSpec, SuiteAnswerSpec
from benchwright.lang.comment_reading import read_comments
from benchwright.lang.hunks import hunk_of
from benchwright.lang.lines import lines_of
from benchwright.records import Answer, Task
from benchwright.tracks.base import TrackBase
from benchwright.tracks.prompt_templates import fence
from benchwright.tracks.refine import REFINE
from benchwright.tracks.refine.answers import fenced, take_hunk, unchanged
from benchwright.tracks.refine.measures import RefineMeasures
from benchwright.tracks.refine.rows import read_task, row_of, spec_of
from benchwright.tracks.rows import Fields

_LINES = {
    "en": ("line {first}", "lines {first} to {last}"),
    "ru": ("строка {first}", "строки {first}–{last}"),
}
_FILE = {"en": "the file", "ru": "файл"}


class Refine(TrackBase, declaration=REFINE):
    """Track of review remarks."""

    prompt_kind = "refine"
    measures: MeasureSet = RefineMeasures()
    executes = True

    def __init__(self) -> None:
        self._ready: set[str] = set()

    def read_row(self, fields: Fields) -> Task:
        """Read a task from a row. Raises DataError with file, line, field and hint."""
        return read_task(fields)

    def prompt(self, task: Task) -> str:
        """The remark, and the code."""
        return f"{task.instruction.strip()}\n\n{row_of(task).code}"

    def prompt_values(self, task: Task, *, language: str, form: str) -> Mapping[str, str]:
        """Code, hunk, remark, and the numbers of the lines; nothing of the reference and the tests."""
        row, spec = row_of(task), spec_of(task)
        hunk = hunk_of(spec.code, spec.first, spec.last)
        return {
            "code": "\n".join(lines_of(spec.code)),
            "hunk": hunk,
            "remark": row.remark.strip(),
            "path": row.path or _FILE[language],
            "lines": _range(spec.first, spec.last, language),
            "remarked": _range(*spec.remarked, language),
            "tag": spec.lang.lower() or "text",
            "fence": fence(spec.code, row.remark),
        }

    def gold(self, task: Task) -> str | None:
        """The reference."""
        spec = spec_of(task)
        return fenced(spec.reference, spec.lang)

    def stub(self, task: Task) -> str:
        """The lines as given: they pass only if the tests of the task prove nothing."""
        return unchanged(spec_of(task))

    def extract(self, task: Task, answer: Answer, *, profile: str) -> Extraction:
        """Extract the new lines, as `program`."""
        return take_hunk(answer, spec_of(task))

    def spec(self, task: Task, *, profile: str) -> RefineSpec:
        """Code, hunk, reference and tests."""
        return spec_of(task)

    def prepare(self, tasks: Iterable[Task], *, note: Callable[[str], object]) -> None:
        """Find the parser of each language, and for tests its toolchain. Raises PrerequisiteError."""
        make_ready = registry.find("judge", "suite-answer").make_ready
        for spec in map(spec_of, tasks):
            if spec.lang and spec.lang not in self._ready:
                read_comments("", spec.lang)
                self._ready.add(spec.lang)
            if spec.suite is not None and (name := f"tests of {spec.lang}") not in self._ready:
                note(f"preparing {name}; the first use on this machine may take longer")
                make_ready(SuiteAnswerSpec(suite=spec.suite))
                self._ready.add(name)

    def to_row(self, task: Task) -> dict[str, Any]:
        """The row of a task."""
        return task.meta


def _range(first: int, last: int, language: str) -> str:
    one, several = _LINES[language]
    return (one if first == last else several).replace("{first}", f"{first}").replace("{last}", f"{last}")


TRACK = Refine()

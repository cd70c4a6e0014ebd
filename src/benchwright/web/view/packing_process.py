"""Child process that packs the answers to one task for the page: a request a line on stdin, JSON on stdout.

To find the program in a text takes as long as the text wants, up to the limits of this process. The parent
ends it when a reply takes too long.
"""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import msgspec

from benchwright.display.palette import GRADED
from benchwright.errors import BenchwrightError, RunError
from benchwright.records import Answer, Isolation, Outcome, Record, TaskId, Verdict
from benchwright.report.answer_packing import as_labels, document
from benchwright.report.graded_answers import Assessments, GradedRunData, as_graded
from benchwright.report.programs import Programs, open_programs
from benchwright.report.verdict_tally import RowRange, read_at
from benchwright.running.human_labels import people_of
from benchwright.running.run_data import executes, identity_field, measures_of, read_score
from benchwright.store.process_limits import lower
from benchwright.store.runfolder import RunFolder
from benchwright.web.core.child_process import answer_requests
from benchwright.web.view.follower import WAITING

MEMORY = 4 << 30  # bytes of address space
NICENESS = 5
MOST_OPEN = 4  # data sets that are held


class AnswerPlace(Record, frozen=True, kw_only=True):
    """The rows of an answer and of its verdict: offsets in their files."""

    sample: int
    answer: int
    verdict: int | None = None


class RunPlaces(Record, frozen=True, kw_only=True):
    """The answers of one run to the task."""

    path: str
    prefix: str = ""  # of the names of its files
    places: list[AnswerPlace] = []


class PackRequest(Record, frozen=True, kw_only=True):
    """A task and its answers of several runs on one data set."""

    task_id: TaskId
    runs: list[RunPlaces]


class PackReply(Record, frozen=True, kw_only=True):
    """The document of the task, or why there is none."""

    document: dict[str, Any] = {}
    note: str = ""  # why there are no programs
    error: str = ""


class PlacedAnswers:
    """The answers of one run to one task, read at their places; satisfies `TaskRows`."""

    def __init__(self, folder: RunFolder, run: RunPlaces) -> None:
        self.folder, self._run = folder, run
        self.prompts: object = folder.manifest["identity"].get("prompts")

    def rows(self, task_id: TaskId) -> list[tuple[Answer, Verdict]]:
        """The answers with their verdicts; those that are not judged have an undecided one."""
        return [self._row(task_id, place) for place in self._run.places]

    def waiting(self) -> set[int]:
        """The samples that are not judged yet."""
        return {place.sample for place in self._run.places if place.verdict is None}

    def _row(self, task_id: TaskId, place: AnswerPlace) -> tuple[Answer, Verdict]:
        answer = self._read("answers.jsonl", place.answer, Answer)
        if place.verdict is None:
            verdict = _not_judged(task_id, place.sample)
        else:
            verdict = self._read("verdicts.jsonl", place.verdict, Verdict)
        if {(each.task_id, each.sample) for each in (answer, verdict)} != {(task_id, place.sample)}:
            raise RunError("the run was rewritten meanwhile", hint="try again")
        return answer, verdict

    def _read(self, name: str, offset: int, kind: type[Any]) -> Any:
        path = self.folder.path / f"{self._run.prefix}{name}"
        try:
            return read_at(path, RowRange(offset, 1), kind)[0]
        except (BenchwrightError, OSError):
            raise RunError(f"{name} was rewritten meanwhile", hint="try again") from None


def _not_judged(task_id: TaskId, sample: int) -> Verdict:
    return Verdict(
        key="",
        task_id=task_id,
        sample=sample,
        outcome=Outcome.undecided,
        isolation=Isolation.none,
        profile="",
    )


class Packing:
    """Packs answers, and keeps the data sets that it has read."""

    def __init__(self) -> None:
        self._programs: dict[str, tuple[Programs | None, str]] = {}

    def reply(self, line: bytes) -> PackReply:
        """The reply to a request; it may be an error message."""
        try:
            return self._packed(msgspec.json.decode(line, type=PackRequest))
        except BenchwrightError as error:
            return PackReply(error=error.message)
        except (MemoryError, RecursionError) as error:
            return PackReply(error=f"the answers are too large or too deep to show ({type(error).__name__})")

    def _packed(self, request: PackRequest) -> PackReply:
        runs = [PlacedAnswers(RunFolder.read(Path(run.path)), run) for run in request.runs]
        programs, note = self._programs_of([run.folder for run in runs])
        content = document(request.task_id, runs, programs)
        content = _by_track(content, request.task_id, runs, programs)
        for rows, run in zip(content["answers"], runs, strict=True):
            _mark_waiting(rows, run.waiting())
        return PackReply(document=content, note=note)

    def _programs_of(self, folders: list[RunFolder]) -> tuple[Programs | None, str]:
        key = str([folders[0].path, folders[0].manifest["identity"], folders[0].manifest.get("tasks", "")])
        if key not in self._programs:
            if len(self._programs) >= MOST_OPEN:
                self._programs.pop(next(iter(self._programs)))
            self._programs[key] = open_programs(folders)
        return self._programs[key]


def _by_track(
    content: dict[str, Any], task_id: TaskId, runs: list[PlacedAnswers], programs: Programs | None
) -> dict[str, Any]:
    """The document as the report has it for the track: labels, grades, or programs."""
    track = identity_field(runs[0].folder, "track")
    outcomes = {verdict.outcome.value for run in runs for _, verdict in run.rows(task_id) if verdict.key}
    if measures_of(track).grade or outcomes & GRADED.keys():
        graded = [GradedRunData(run, Assessments(run.folder), _is_calibrated(run.folder)) for run in runs]
        return as_graded(content, task_id, graded, programs)
    if not executes(track):
        return as_labels(content, programs.gold(task_id) if programs else "")
    return content


def _is_calibrated(folder: RunFolder) -> bool:
    """Return whether people's labels, which come after a run's end, suffice to calibrate its judges."""
    if not (folder.path / "scores.json").exists():
        return False
    people = people_of(read_score(folder))
    return people is not None and people.is_enough


def _mark_waiting(rows: list[dict[str, Any]], waiting: set[int]) -> None:
    for row in rows:
        if row["sample"] in waiting:
            row["outcome"] = WAITING
            for name in ("isolation", "cpu", "wall"):
                row.pop(name, None)


def main() -> None:
    """Reply to requests until stdin ends."""
    lower(resource.RLIMIT_AS, MEMORY)
    packing = Packing()
    answer_requests(lambda line: msgspec.json.encode(packing.reply(line)), niceness=NICENESS)


if __name__ == "__main__":
    main()

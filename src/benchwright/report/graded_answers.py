"""Data shown with a graded answer: scores, references, and assessments of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.contracts import Annotation, Assessment, CommentSpec, IssueSpec, Spec
from benchwright.display.escape import escaped_code
from benchwright.display.wording import outcome_label
from benchwright.judges.people.results import people_fact
from benchwright.lang.lines import lines_of
from benchwright.records import TaskId, Verdict
from benchwright.report.programs import Programs
from benchwright.report.verdict_tally import RowRange, TaskRows, find_places, read_at
from benchwright.running.human_labels import results_by_answer
from benchwright.store.runfolder import RunFolder

WINDOW = 400  # lines of comments between two lines of code
_EXECUTED = frozenset({"isolation", "cpu", "wall", "stdout"})


class Assessments:
    """Assessments of model judges in one run, read task by task."""

    def __init__(self, folder: RunFolder) -> None:
        self._path = folder.assessments_path
        self._people = results_by_answer(folder)
        self._keys = (
            {(each.task_id, each.sample): each.key for each in folder.answers()} if self._people else {}
        )
        self._places: dict[TaskId, RowRange] = find_places(self._path) if self._path.exists() else {}

    def of(self, task_id: TaskId) -> dict[int, list[Assessment]]:
        """Assessments by sample, judges in the order of their names."""
        place = self._places.get(task_id)
        found: dict[int, list[Assessment]] = {}
        for each in read_at(self._path, place, Assessment) if place else ():
            found.setdefault(each.sample, []).append(each)
        return found

    def by_people(self, task_id: TaskId, sample: int) -> list[str]:
        """Human votes on an answer, a sentence for each field."""
        found = self._people.get((self._keys.get((task_id, sample), ""), task_id), [])
        return [f"{escaped_code(name)}: {escaped_code(value)}" for name, value in map(people_fact, found)]


class GradedRunData(NamedTuple):
    """A run with graded answers; `calibrated` if people have labelled enough of them."""

    tally: TaskRows
    assessments: Assessments
    calibrated: bool = False


def as_graded(
    answer_document: dict[str, Any], task_id: TaskId, runs: Sequence[GradedRunData], programs: Programs | None
) -> dict[str, Any]:
    """The document of a task with graded answers; see `answers.document`."""
    spec = programs.spec(task_id) if programs else None
    answers = []
    for rows, run in zip(answer_document["answers"], runs, strict=True):
        verdicts = [verdict for _, verdict in run.tally.rows(task_id)]
        assessments = run.assessments.of(task_id)
        answers.append(
            [
                {
                    **_row(
                        row,
                        verdict,
                        _opinions(run, assessments.get(verdict.sample, [])),
                        spec,
                        answer_document["programs"],
                    ),
                    **_people(run, task_id, verdict.sample),
                }
                for row, verdict in zip(rows, verdicts, strict=True)
            ]
        )
    return {
        **answer_document,
        "graded": True,
        "canonical": [],
        "references": _references(spec),
        "answers": answers,
    }


def _row(
    row: Mapping[str, Any],
    verdict: Verdict,
    opinions: Sequence[Mapping[str, Any]],
    spec: Spec | None,
    programs: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    answer_fields = {name: value for name, value in row.items() if name not in _EXECUTED}
    more = {
        "scores": verdict.scores,
        "checks": {name: outcome_label(end.value) for name, end in verdict.parts.items()},
        "judges": opinions,
    }
    if isinstance(spec, CommentSpec) and "program" in row:
        found = align_lines(spec.code, programs[row["program"]]["text"], spec.annotations)
        more |= {"notes": found.notes, "added": found.added}
    return {**answer_fields, **{name: value for name, value in more.items() if value}}


def _people(run: GradedRunData, task_id: TaskId, sample: int) -> dict[str, Any]:
    assessments = run.assessments.by_people(task_id, sample)
    return {"people": assessments} if assessments else {}


def _opinions(run: GradedRunData, assessments: Sequence[Assessment]) -> list[dict[str, Any]]:
    mark = {"calibrated": True} if run.calibrated else {}
    return [{**_opinion(each), **mark} for each in assessments]


def _opinion(each: Assessment) -> dict[str, Any]:
    """The assessment of one judge, without empty fields."""
    fields = {
        "judge": each.judge,
        "status": each.status,
        "label": each.label.replace("_", " "),
        "scores": each.scores,
        "reference": each.reference_number,
        "reasons": each.reasons,
        "evidence": each.evidence,
        "flags": [flag.replace("_", " ") for flag in each.flags],
        "votes": each.votes,
        "why": each.detail,
    }
    return {name: value for name, value in fields.items() if value}


def _references(spec: Spec | None) -> list[dict[str, str]]:
    if isinstance(spec, IssueSpec):
        return [
            {
                "title": f"Reference answer {number} ({each.strength.replace('_', ' ')})",
                "text": each.body,
            }
            for number, each in enumerate(spec.references, 1)
        ]
    if isinstance(spec, CommentSpec) and spec.comment:
        return [{"title": "Reference comment", "text": spec.comment}]
    return []


class LineAlignment(NamedTuple):
    """Reference annotations by line of an answer (0: the line is missing), and the added lines."""

    notes: list[tuple[int, str]]
    added: list[int]


def align_lines(code: str, program: str, annotations: Sequence[Annotation]) -> LineAlignment:
    """Find the lines of the given code in an answer that only adds comments; lines count from 1.

    Each line is searched after the previous one, so lines kept by an answer that changed the code are
    still found.
    """
    places = line_places(code, program)
    given_lines = set(places.values())
    numbered_lines = enumerate(program.splitlines(), 1)
    added = [number for number, line in numbered_lines if line.strip() and number not in given_lines]
    return LineAlignment([(places.get(each.line, 0), each.text) for each in annotations], added)


def line_places(code: str, program: str) -> dict[int, int]:
    """For each line of the given code, its line in the program; lines count from 1."""
    code_lines, program_lines = lines_of(code), [line.strip() for line in lines_of(program)]
    places: dict[int, int] = {}
    after = 0
    for number, line in enumerate(code_lines, 1):
        found = _find(line.strip(), program_lines, after)
        if found is not None:
            places[number] = found + 1
            after = found + 1
    return places


def _find(line: str, program_lines: Sequence[str], after: int) -> int | None:
    if not line:
        return None
    near = range(after, min(len(program_lines), after + WINDOW))
    return next((at for at in near if program_lines[at].startswith(line)), None)

"""Drafts of tasks around AI libraries: `python -m demo_source.library_drafts` writes them beside this module.

Tasks with their inputs are written by hand, in `library_texts`. What must come of an input is what the
solution gives for it in the sandbox, twin A for a model's weights; where its library or weights are not to be
had, what the author states. It needs the profiles `sklearn` and `torch`.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import indent
from typing import Any

import msgspec

from benchwright.building.aicodereval.draft_records import Draft, ExaminedDraft
from benchwright.building.aicodereval.drafted_cases import REL_TOL, read_cases, spec_for
from benchwright.building.aicodereval.drafting_prompts import ProposedCase
from benchwright.building.aicodereval.model_twins import with_stand_ins
from benchwright.contracts import CallCase, CaseLevel, ExpectedResult, RepliesSpec
from benchwright.executing.pool import Pool
from benchwright.executing.trials import Trial, TrialResult, Trials
from benchwright.tracks.aicodereval.entry import (
    BenchmarkEntry,
    Weights,
    entry_point_of,
    program_of,
    twin_links,
)
from benchwright.tracks.aicodereval.stand_in_models import make_twins

TEXTS = Path(__file__).parent / "library_texts"
DRAFTS = Path(__file__).parent / "library_drafts.jsonl"
_Task = dict[str, Any]


def tasks() -> Iterator[_Task]:
    """The tasks of all files, by the files' names."""
    for path in sorted(TEXTS.glob("*.toml")):
        text = tomllib.loads(path.read_text("utf-8"))
        yield from ({"environment": text["environment"], **task} for task in text["task"])


def proposed(task: _Task) -> list[ProposedCase]:
    """Its inputs, level by level."""
    return [
        ProposedCase(name=f"{level.value}_{at}", level=level, description="", args=args, kwargs={})
        for level in CaseLevel
        for at, args in enumerate(task[level.value], 1)
    ]


def draft(task: _Task, expected: Sequence[ExpectedResult]) -> Draft:
    """The draft with what must come of each input."""
    cases = [
        CallCase(name=each.name, level=each.level, input=each.input, expected=what)
        for each, what in zip(proposed(task), expected, strict=True)
    ]
    fields = ("domain", "libraries", "imports", "signature", "environment")
    entry = BenchmarkEntry(
        task_id=task["name"],
        description=task["about"],
        model=task.get("model", ""),
        docstring=task["doc"],
        implementation=indent(task["body"].strip("\n"), "    "),
        cases=cases,
        **{name: task[name] for name in fields},
    )
    lineage = {"source": f"library:{task['name']}", "drafted_by": "hand"}
    same = task.get("equivalent", [])
    return Draft(entry=entry, equivalent_mutants=same, licence="Apache-2.0", lineage=lineage)


def made(folder: Path) -> Iterator[Draft]:
    """All drafts. Raises ValueError for a task whose inputs give nothing that can be asked for."""
    every = list(tasks())
    empty = [ExaminedDraft(draft=draft(task, [ExpectedResult()] * len(proposed(task)))) for task in every]
    ready = [each.draft.entry for each in with_stand_ins(empty, make_twins)]
    stated = [_stated(task) for task in every]
    open_ = [(task, entry) for task, entry, known in zip(every, ready, stated, strict=True) if not known]
    asked = [Trial(program_of(entry), _asked(task, entry)) for task, entry in open_]
    with Pool() as pool, Trials(folder / "trials.jsonl", pool) as trials:
        ends = iter(trials.run(asked, name="solutions"))
    for task, known in zip(every, stated, strict=True):
        yield draft(task, known or _read(task, next(ends)))


def _stated(task: _Task) -> list[ExpectedResult]:
    given = task.get("given", ())
    return [
        ExpectedResult(raises=each) if each == "ValueError" else ExpectedResult(value=each) for each in given
    ]


def _asked(task: _Task, entry: BenchmarkEntry) -> RepliesSpec:
    """What asks for the values of an entry whose cases do not say yet what must come."""
    links = twin_links("A") if entry.weights is Weights.stand_in else {}
    found = spec_for(proposed(task), entry_point_of(entry), entry.environment, links)
    if not isinstance(found, RepliesSpec):
        raise ValueError(f"{task['name']}: {found}")
    return found


def _read(task: _Task, ended: TrialResult) -> list[ExpectedResult]:
    found = read_cases(proposed(task), [ended])
    if found.fault:
        raise ValueError(f"{task['name']}: {found.fault}")
    return [_tolerant(case.expected) for case in found.cases]


def _tolerant(expected: ExpectedResult) -> ExpectedResult:
    """Single precision holds for six digits of what was summed in another order."""
    return msgspec.structs.replace(expected, rel_tol=10 * REL_TOL) if expected.rel_tol else expected


def main() -> None:
    """Write the file of drafts."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [msgspec.json.encode(each) + b"\n" for each in made(Path(folder))]
    DRAFTS.write_bytes(b"".join(lines))


if __name__ == "__main__":
    main()

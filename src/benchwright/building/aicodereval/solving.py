"""A draft as the executing gates see it: a task with its canonical solution and its spec."""

from __future__ import annotations

import msgspec

from benchwright.building.aicodereval.drafted_code import entry_point, program_of, prompt_of
from benchwright.building.aicodereval.nouns import Draft
from benchwright.building.solved import SolvedTask
from benchwright.contracts.cases import LevelsSpec


def solved(draft: Draft) -> SolvedTask:
    """The task of a draft that has passed the gates of form."""
    entry = draft.entry
    spec = LevelsSpec(entry_point=entry_point(entry), environment=entry.environment, cases=entry.cases)
    return SolvedTask(
        unit=draft.unit,
        revision=draft.revision,
        prompt=prompt_of(entry),
        entry_point=spec.entry_point,
        gold=program_of(entry),
        spec=spec,
        tests=entry.suite or msgspec.json.encode(entry.cases).decode(),
        alternatives=draft.alternatives,
        wrong=draft.wrong,
        equivalent_mutants=draft.equivalent_mutants,
    )

"""Tasks around AI libraries as texts: each is an entry without faults, and inputs stand at all levels."""

from __future__ import annotations

import msgspec

from benchwright.building.aicodereval.draft_records import Draft, code_of
from benchwright.building.aicodereval.model_twins import loads_of
from benchwright.contracts import CaseLevel, ExpectedResult
from benchwright.lang.python.adequacy_mutations import distinct_mutants
from benchwright.tracks.aicodereval.entry import faults_in, program_of
from benchwright.tracks.aicodereval.stand_in_models import PROFILE
from demo_source.library_drafts import DRAFTS as STORED
from demo_source.library_drafts import draft, proposed, tasks

TASKS = {task["name"]: task for task in tasks()}
DRAFTS = {
    name: draft(task, [ExpectedResult(raises="ValueError")] * len(proposed(task)))
    for name, task in TASKS.items()
}


def test_over_sixty_tasks_over_seven_domains() -> None:
    """No name stands twice."""
    assert len(TASKS) == len(list(tasks())) >= 60
    assert len({task["domain"] for task in TASKS.values()}) == 7


def test_each_is_an_entry() -> None:
    """Signature, imports and body can be read, and the text names the exception."""
    faults = {name: [*faults_in(each.entry)] for name, each in DRAFTS.items()}

    assert {name: found for name, found in faults.items() if found} == {}
    assert [name for name, each in DRAFTS.items() if "ValueError" not in each.entry.docstring] == []


def test_each_has_inputs_at_all_levels() -> None:
    """What an author states has as many parts."""
    lacking = [name for name, task in TASKS.items() if not all(task[level.value] for level in CaseLevel)]
    stated = {name: len(task["given"]) for name, task in TASKS.items() if "given" in task}

    assert lacking == []
    assert stated == {name: len(proposed(TASKS[name])) for name in stated}


def test_models_are_those_that_the_programs_load() -> None:
    """By the id that the entry names."""
    loaded = {
        name: {load.id for load in loads_of(each.entry, code_of(each))}
        for name, each in DRAFTS.items()
        if each.entry.environment == PROFILE
    }

    assert loaded == {
        name: {each.entry.model} - {""} for name, each in DRAFTS.items() if each.entry.environment == PROFILE
    }


def test_what_is_declared_equivalent_is_a_mutant() -> None:
    """A declaration whose place has moved says nothing."""
    declared = {name: each.equivalent_mutants for name, each in DRAFTS.items() if each.equivalent_mutants}
    made = {
        name: {each.name for each in distinct_mutants(program_of(DRAFTS[name].entry))} for name in declared
    }

    assert len(declared) == 4
    assert {name: {*names} - made[name] for name, names in declared.items()} == {
        name: set() for name in declared
    }


def test_stored_drafts_are_of_these_texts() -> None:
    """In their order, with the same programs and inputs; edge cases alone may raise."""
    stored = [msgspec.json.decode(line, type=Draft) for line in STORED.read_bytes().splitlines()]
    made = list(DRAFTS.values())

    assert [program_of(each.entry) for each in stored] == [program_of(each.entry) for each in made]
    assert [[case.input for case in each.entry.cases] for each in stored] == [
        [case.input for case in each.entry.cases] for each in made
    ]
    assert [each.equivalent_mutants for each in stored] == [each.equivalent_mutants for each in made]
    assert {case.level for each in stored for case in each.entry.cases if case.expected.raises} == {
        CaseLevel.edge_case
    }

"""Drafts from templates: by the task of a record, the same each time, with where they are from."""

from __future__ import annotations

import msgspec
import pytest

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.building.aicodereval.draft_templates import TaskTemplate, from_template, templates
from benchwright.contracts.specs import CaseLevel
from benchwright.records import Drop
from benchwright.sources.model_records import ModelRecord
from benchwright.tracks.aicodereval.entry import Domain, faults_in


def record(task: str, **more: str) -> ModelRecord:
    """A record of a model for a task."""
    return ModelRecord(
        **{"origin": "cards", "id": "org/tiny model", "revision": "r1", "sha256": "0", "task": task, **more}
    )


@pytest.mark.parametrize("template", templates(), ids=lambda each: each.name)
def test_each_template_makes_an_entry_without_faults(template: TaskTemplate) -> None:
    """With all three levels and a wrong solution; it names no model, as none is needed to solve it."""
    made = from_template(record(template.tasks[0], licence="MIT"))

    assert isinstance(made, Draft)
    assert list(faults_in(made.entry)) == []
    assert {case.level for case in made.entry.cases} == set(CaseLevel)
    assert (bool(made.wrong), made.licence, made.lineage["source"]) == (True, "MIT", "cards:org/tiny model")
    assert (made.entry.model, made.lineage["model"]) == ("", "org/tiny model")
    assert "tiny" not in made.entry.description + made.entry.docstring
    assert " " not in made.entry.task_id


@pytest.mark.parametrize("spelling", ["Object Detection", "object_detection", " object-detection "])
def test_spellings_of_a_task(spelling: str) -> None:
    """Sources write the same task in several ways."""
    made = from_template(record(spelling))

    assert isinstance(made, Draft)
    assert made.entry.task_id.startswith("kept-boxes")


@pytest.mark.parametrize(("task", "reason"), [("text-to-video", "no_template"), ("", "no_task")])
def test_a_task_without_a_template_is_a_drop(task: str, reason: str) -> None:
    """It is counted and named."""
    dropped = from_template(record(task))

    assert isinstance(dropped, Drop)
    assert (dropped.unit, dropped.reason) == ("cards:org/tiny model", reason)


def test_the_domain_is_the_tasks() -> None:
    """One template serves tasks of several domains."""
    made = from_template(record("audio-classification"))

    assert isinstance(made, Draft)
    assert made.entry.domain is Domain.audio


def test_the_same_record_gives_the_same_draft() -> None:
    """Letter for letter: the content key is the same."""
    one, other = from_template(record("ner")), from_template(record("ner"))

    assert isinstance(one, Draft)
    assert isinstance(other, Draft)
    assert one.revision == other.revision


def test_a_task_belongs_to_one_template() -> None:
    """Else the order of the file would decide."""
    tasks = [task for template in templates() for task in template.tasks]

    assert len(tasks) == len(set(tasks))


@pytest.mark.parametrize("about", ["silero_stt", "a speech model", "wav2vec_asr", "Music tagging", "tts"])
def test_speech_gets_no_labels_of_pictures(about: str) -> None:
    """Tables call what speech models do a classification too."""
    made = from_template(record("Classification", description=about))

    assert isinstance(made, Drop)
    assert made.reason == "no_template"


def test_two_models_of_one_task_give_one_task() -> None:
    """Nothing of an entry but its id is the record's."""
    first, second = (from_template(record("vision", id=name)) for name in ("a/one", "b/two"))

    assert isinstance(first, Draft)
    assert isinstance(second, Draft)
    assert msgspec.structs.replace(first.entry, task_id="") == msgspec.structs.replace(
        second.entry, task_id=""
    )

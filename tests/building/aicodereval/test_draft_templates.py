"""Domains: pipeline tags, tables' prefixes and a user's names; what nobody knows stays unmapped."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.building.aicodereval.draft_templates import STANDARD, domain_map, domain_of, normalised
from benchwright.errors import DataError
from benchwright.sources.api_tables import open_api_table
from benchwright.sources.model_records import ModelRecord
from benchwright.tracks.aicodereval.entry import Domain
from kit.needs import API_TABLES, need_data


def _record(task: str, *tags: str) -> ModelRecord:
    return ModelRecord(origin="cards", id="a", revision="r", sha256="0", task=task, tags=list(tags))


@pytest.mark.parametrize(
    ("task", "domain"),
    [
        ("text-classification", Domain.nlp),
        ("Text Classification", Domain.nlp),
        ("image_to_image", Domain.cv),
        ("Text-To-Speech", Domain.audio),
        ("tabular-regression", Domain.tabular),
        ("reinforcement-learning", Domain.rl),
        ("any-to-any", Domain.multimodal),
        ("Classification", Domain.classification),
        ("Natural Language Processing Anything", Domain.nlp),
        ("Reinforcement Learning Robotics", Domain.rl),
        ("Multimodal Graph Machine Learning", Domain.multimodal),
        ("graph-ml", Domain.unmapped),
        ("other", Domain.unmapped),
        ("audiophile", Domain.unmapped),
        ("", Domain.unmapped),
    ],
)
def test_tasks(task: str, domain: Domain) -> None:
    """One spelling or another; a name that only begins like one that is known is not known."""
    assert domain_of(_record(task)) is domain


def test_tags_where_the_task_says_nothing() -> None:
    """The first tag that is known decides, and never against the task."""
    assert domain_of(_record("", "scriptable", "vision")) is Domain.cv
    assert domain_of(_record("generative", "generative", "audio")) is Domain.audio
    assert domain_of(_record("fill-mask", "vision")) is Domain.nlp


def test_every_domain_has_tasks() -> None:
    """All but the one of what is not known; names are spelled as they are looked up."""
    assert set(STANDARD.values()) == set(Domain) - {Domain.unmapped}
    assert all(normalised(name) == name for name in STANDARD)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("map.toml", '"Graph ML" = "NLP"\nclassification = "CV"\n'),
        ("map.toml", '[domains]\n"Graph ML" = "NLP"\nclassification = "CV"\n'),
        ("map.json", '{"graph-ml": "NLP", "Classification": "CV"}'),
    ],
)
def test_a_file_adds_and_changes(tmp_path: Path, name: str, text: str) -> None:
    """What it does not name stays as it is."""
    (tmp_path / name).write_text(text)
    known = domain_map(tmp_path / name)

    assert domain_of(_record("graph-ml"), known) is Domain.nlp
    assert domain_of(_record("classification"), known) is Domain.cv
    assert domain_of(_record("fill-mask"), known) is Domain.nlp
    assert domain_map() is STANDARD


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.toml", "x ="), ("a.json", "[]"), ("a.json", "{"), ("a.toml", 'x = "Botany"'), ("a.toml", "x = 3")],
)
def test_a_file_that_is_no_map(tmp_path: Path, name: str, text: str) -> None:
    """An error with the file, and the field where one is at fault."""
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=name):
        domain_map(tmp_path / name)
    with pytest.raises(DataError):
        domain_map(tmp_path / "absent.toml")


def test_recorded_tables_are_mapped() -> None:
    """All 290 rows that are kept; the seventy-seven "Classification" of PyTorch Hub are that domain."""
    domains = [
        domain_of(item.record)
        for name in API_TABLES
        for item in open_api_table(str(need_data(name)), licences=()).collect(Path("x"), print).items
        if hasattr(item, "record")
    ]

    assert len(domains) == 290 and Domain.unmapped not in domains
    assert domains.count(Domain.classification) == 77

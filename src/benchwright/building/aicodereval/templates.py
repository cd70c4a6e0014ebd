"""Drafts without a model: for each kind of task a function around the inputs or outputs of such a model.

A card names the task of its model. The code around the model (probabilities from logits, words from tags, a
transcript from frames) can be specified, executed and judged without weights, with the standard library
alone. Such a task is not about a particular model, so it names none. The drafts of two records of one task
are equal, and a build keeps the first.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.aicodereval.domains import domain_of, normalised
from benchwright.building.aicodereval.nouns import Draft
from benchwright.contracts.cases import CallCase
from benchwright.records import Drop, Record
from benchwright.sources.model_records import ModelRecord
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, Domain

TEMPLATES = 2  # increase it when a record may give another draft


class TaskTemplate(Record, frozen=True, kw_only=True):
    """The template for models of some tasks."""

    name: str
    tasks: tuple[str, ...]  # in the spelling of hubs: lower case with dashes
    not_about: str = ""  # pattern of words in records that do not fit
    domain: Domain  # domain of its tasks that the map does not have
    description: str
    signature: str
    docstring: str
    imports: tuple[str, ...] = ()
    implementation: str
    cases: tuple[CallCase, ...]
    wrong: dict[str, str] = {}  # wrong implementations, by the reason


@cache
def templates() -> tuple[TaskTemplate, ...]:
    """All templates, from the file beside this module."""
    text = Path(__file__).with_name("templates.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, tuple[TaskTemplate, ...]])["template"]


def from_template(record: ModelRecord) -> Draft | Drop:
    """The draft for a record, or the reason why there is none."""
    task = normalised(record.task)
    found = next((each for each in templates() if task in each.tasks and _fits(each, record)), None)
    if found is None:
        reason = "no_template" if task else "no_task"
        return Drop(unit=f"{record.origin}:{record.id}", reason=reason, detail=record.task[:80])
    return _draft(record, found)


def _fits(template: TaskTemplate, record: ModelRecord) -> bool:
    """Whether a record fits the template; tables use one name for tasks of several kinds."""
    about = " ".join([record.id, record.model, record.description, *record.tags])
    return not template.not_about or re.search(template.not_about, about, re.IGNORECASE) is None


def _draft(record: ModelRecord, template: TaskTemplate) -> Draft:
    known = domain_of(record)
    entry = BenchmarkEntry(
        task_id=f"{template.name}-{re.sub(r'[^A-Za-z0-9.-]+', '-', record.id).strip('-.')[:50]}",
        domain=template.domain if known is Domain.unmapped else known,
        description=template.description,
        imports=list(template.imports),
        signature=template.signature,
        docstring=template.docstring,
        implementation=template.implementation.strip("\n"),
        cases=list(template.cases),
        created=record.revised_at[:10],
    )
    return Draft(
        entry=entry,
        wrong={why: _program(template, body) for why, body in template.wrong.items()},
        licence=record.licence,
        lineage=_lineage(record, template),
    )


def _program(template: TaskTemplate, body: str) -> str:
    head = "\n".join(template.imports)
    return f"{head}\n\n\n{template.signature}\n{body}\n"


def _lineage(record: ModelRecord, template: TaskTemplate) -> dict[str, Any]:
    return {
        "source": f"{record.origin}:{record.id}",
        "model": record.model or record.id,
        "revision": record.revision,
        "url": record.url,
        "sha256": record.sha256,
        "drafted_by": f"template {template.name}, version {TEMPLATES}",
    }

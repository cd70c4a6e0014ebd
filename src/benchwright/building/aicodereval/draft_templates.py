"""Drafts without a model: for each domain a function around the inputs or outputs of such a model.

The domain of a record follows from the task that its source names.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.contracts.specs import CallCase
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import DataError
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
    """All templates, from the file next to this module."""
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


MAX_FILE = 1 << 20
_NO_NAME = re.compile(r"[\W_]+")
_TASKS: Mapping[Domain, str] = {
    Domain.nlp: "text-classification token-classification table-question-answering question-answering "
    "zero-shot-classification translation summarization feature-extraction text-generation "
    "text2text-generation fill-mask sentence-similarity table-to-text multiple-choice text-ranking "
    "text-retrieval conversational nlp natural-language-processing",
    Domain.cv: "depth-estimation image-classification object-detection image-segmentation text-to-image "
    "image-to-text image-to-image image-to-video unconditional-image-generation video-classification "
    "zero-shot-image-classification mask-generation zero-shot-object-detection text-to-3d image-to-3d "
    "image-feature-extraction keypoint-detection text-to-video video-to-video semantic-segmentation "
    "vision computer-vision",
    Domain.tabular: "tabular-classification tabular-regression tabular-to-text time-series-forecasting "
    "tabular",
    Domain.audio: "text-to-speech text-to-audio automatic-speech-recognition audio-to-audio "
    "audio-classification voice-activity-detection audio-separation audio",
    Domain.multimodal: "audio-text-to-text image-text-to-text visual-question-answering "
    "document-question-answering video-text-to-text visual-document-retrieval any-to-any multimodal",
    Domain.rl: "reinforcement-learning robotics rl",
    Domain.classification: "classification",
}
_PREFIXES: Mapping[str, Domain] = {
    "natural-language-processing": Domain.nlp,
    "computer-vision": Domain.cv,
    "multimodal": Domain.multimodal,
    "audio": Domain.audio,
    "tabular": Domain.tabular,
    "reinforcement-learning": Domain.rl,
}
DomainMap = Mapping[str, Domain]


def normalised(task: str) -> str:
    """The normal form of a task's name: `Text-To-Speech`, `text to speech` and `text_to_speech` are equal."""
    return _NO_NAME.sub("-", task.lower()).strip("-")


STANDARD: DomainMap = {name: domain for domain, names in _TASKS.items() for name in names.split()}


def domain_of(record: ModelRecord, known: DomainMap = STANDARD) -> Domain:
    """The domain of a record's task, or of its first tag with one if the task has none."""
    return next(
        (found for name in (record.task, *record.tags) if (found := _domain_of(name, known))), Domain.unmapped
    )


def domain_map(path: Path | None = None) -> DomainMap:
    """The standard map with additions and changes from a TOML or JSON file: `"my-task" = "NLP"`.

    The names may be under `[domains]`. Raises DataError for an invalid file.
    """
    if path is None:
        return STANDARD
    added: dict[str, Domain] = {}
    for task, name in _read(path).items():
        if name not in set(Domain):
            hint = f"one of: {', '.join(Domain)}"
            what = f"unknown domain: {escaped_name(str(name))}"
            raise DataError(what, path=escaped_path(path), field=escaped_name(task), hint=hint)
        added[normalised(task)] = Domain(name)
    return {**STANDARD, **added}


def _domain_of(name: str, known: DomainMap) -> Domain | None:
    key = normalised(name)
    if key in known:
        return known[key]
    return next((domain for prefix, domain in _PREFIXES.items() if key.startswith(f"{prefix}-")), None)


def _read(path: Path) -> dict[str, Any]:
    place = escaped_path(path)
    try:
        with path.open("rb") as file:
            text = file.read(MAX_FILE).decode()
        given = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, ValueError, RecursionError) as error:
        hint = 'write lines such as `"my-task" = "NLP"` into a .toml file'
        raise DataError(f"invalid map of domains: {error}", path=place, hint=hint) from None
    if isinstance(given, dict) and isinstance(given.get("domains"), dict):
        given = given["domains"]
    if not isinstance(given, dict):
        raise DataError("the map of domains is empty", path=place, hint='{"my-task": "NLP"}')
    return given

"""A new track is a folder and a line in the registry: all lists and commands then know it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import click
import pytest
from rich.console import Console

from benchwright import registry
from benchwright.cli import shell_completion
from benchwright.cli.demo_stored import print_stored, run_stored
from benchwright.progress import Silent
from benchwright.running.schemas import schema_names, schema_of
from benchwright.tracks.row_detection import track_of
from kit.command_line import benchwright, called

DECLARATION = '''
"""Moods: does a sentence praise or complain?"""

from benchwright.registry import StoredDemo, TrackDeclaration

MOODS = TrackDeclaration(
    name="moods",
    title="Moods",
    target="moods_track.track:TRACK",
    profiles=("strict", "lenient"),
    forms=("word", "letter"),
    row_fields=(("inputs.sentence",),),
    row="moods_track.track:MoodRow",
    converter="moods_track.track:CONVERTER",
    record_formats=("diary",),
    demo=StoredDemo(data="rows.jsonl", answers="moods", models=("a", "b"), pair=("a", "b"), package="moods_track"),
)
'''
TRACK = '''
from benchwright.contracts import LabelSpec, Question
from benchwright.records import Record
from benchwright.text.label_choice import take_choice
from benchwright.tracks.base import TrackBase
from benchwright.tracks.collected.records import RecordConverter
from benchwright.tracks.functions.completion import PassAtK
from benchwright.tracks.rows import row_of, task_of
from moods_track import MOODS

LABELS = ("praise", "complaint", "neither")


class MoodRow(Record, frozen=True, kw_only=True):
    """A sentence with its mood."""

    instruction: str
    inputs: dict[str, str]  # the sentence
    outputs: dict[str, str]  # the mood
    meta: dict[str, int]


class Moods(TrackBase, declaration=MOODS):
    measures = PassAtK()
    ks = (1,)

    def read_row(self, fields):
        return task_of(fields, _read_spec, kind="moods", shown="sentence")

    def prompt(self, task):
        return task.inputs["sentence"]

    def questions(self, task, *, language, form):
        return [Question(variant="en-01", text=self.prompt(task))]

    def gold(self, task):
        return task.outputs["mood"]

    def stub(self, task):
        return LABELS[LABELS.index(task.outputs["mood"]) - 1]

    def extract(self, task, answer, *, profile):
        return take_choice(answer.text, labels=LABELS, finish_reason=answer.finish_reason)

    def spec(self, task, *, profile):
        return LabelSpec(expected=task.outputs["mood"], classes=LABELS)

    to_row = staticmethod(row_of)


def _read_spec(inputs, outputs):
    inputs.text("sentence", limit=1000)
    return LabelSpec(expected=outputs.text("mood", limit=20), classes=LABELS)


def _to_row(fields, importing):
    if "inputs" in fields.data:
        return fields.data
    record = importing.record(fields)
    inputs, outputs = {"sentence": record.text("note")}, {"mood": record.text("mood")}
    return {"instruction": "{sentence}", "inputs": inputs, "outputs": outputs, "meta": {"id": record.line}}


def _record_of_row(row):
    return {"note": row["inputs"]["sentence"], **row["outputs"]}


TRACK = Moods()
CONVERTER = RecordConverter(_to_row, TRACK.read_row, _record_of_row, key_input="sentence", level=lambda task: "one")
'''
REGISTRY_LINE = ("moods", "moods_track:MOODS")
RECORDS = [{"note": "I like it.", "mood": "praise"}, {"note": "It broke at once.", "mood": "complaint"}]


def _lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the track's folder, registered in this process and in those that it starts."""
    site, package = tmp_path / "site", tmp_path / "site" / "moods_track"
    (package / "moods").mkdir(parents=True)
    (package / "__init__.py").write_text(DECLARATION)
    (package / "track.py").write_text(TRACK)
    rows = [
        {
            "instruction": "{sentence}",
            "inputs": {"sentence": each["note"]},
            "outputs": {"mood": each["mood"]},
            "meta": {"id": number},
        }
        for number, each in enumerate(RECORDS, 1)
    ]
    (package / "rows.jsonl").write_text(_lines(*rows))
    for model, answers in (("a", ["praise", "complaint"]), ("b", ["praise", "praise"])):
        texts = ({"task_id": number, "text": text} for number, text in enumerate(answers, 1))
        (package / "moods" / f"{model}.jsonl").write_text(_lines(*texts))
    name, target = REGISTRY_LINE
    # A process that starts a worker also registers the track in it.
    start = f"from benchwright import registry\nregistry.TRACKS[{name!r}] = {target!r}\n"
    (site / "usercustomize.py").write_text(start)
    (site / "sitecustomize.py").write_text(start)
    monkeypatch.syspath_prepend(str(site))
    path = filter(None, (str(site), os.environ.get("PYTHONPATH")))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
    monkeypatch.setitem(registry.TRACKS, name, target)  # type: ignore[arg-type]
    return package


def _offered(complete: Any, command: str, **typed: str) -> list[str]:
    context = click.Context(click.Command(command))
    context.params.update(typed)
    return [item.value for item in complete(context, click.Argument(["word"]), "")]


def test_its_rows_are_recognised_without_its_name(folder: Path) -> None:
    assert track_of(folder / "rows.jsonl") == "moods"
    assert called("check", folder / "rows.jsonl", "--json").document["track"] == "moods"


@pytest.mark.usefixtures("folder")
def test_its_rows_have_a_schema() -> None:
    assert ("moods" in schema_names(), schema_of("moods")["properties"]["inputs"]["description"]) == (
        True,
        "the sentence",
    )
    assert "moods " in called("schema").out


@pytest.mark.usefixtures("folder")
def test_the_shell_offers_its_name_profiles_forms_and_schema() -> None:
    assert "moods" in _offered(shell_completion.tracks, "run")
    assert "moods" in _offered(shell_completion.schema_names, "schema")
    assert _offered(shell_completion.profiles, "run", track="moods") == ["strict", "lenient"]
    assert _offered(shell_completion.forms, "run", track="moods") == ["word", "letter"]


def test_records_become_its_rows_and_rows_records(folder: Path, tmp_path: Path) -> None:
    records, rows, again = (tmp_path / name for name in ("records.jsonl", "rows.jsonl", "again.jsonl"))
    records.write_text(_lines(*RECORDS))

    assert benchwright("convert", "--data", records, "--to", "moods", "--out", rows).code == 0
    assert rows.read_text() == (folder / "rows.jsonl").read_text().replace(", ", ",").replace(": ", ":")
    assert benchwright("convert", "--data", rows, "--to", "diary", "--out", again).code == 0
    assert [json.loads(line) for line in again.read_text().splitlines()] == RECORDS


@pytest.mark.usefixtures("folder")
def test_the_demo_scores_its_stored_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Built-in tracks are left out here because they take longer."""
    moods = registry.declaration("moods")
    monkeypatch.setattr("benchwright.cli.demo_stored.built_in_tracks", lambda: iter([moods]))
    demo = run_stored(tmp_path / "out", workers=1, jail="auto", watcher=Silent())
    text = io.StringIO()
    print_stored(Console(file=text, width=120), demo)

    assert [score.outcomes["passed"] for score in demo.scores["moods"]] == [2, 1]
    assert [pair for *_, pair in demo.comparisons()] == [("a", "b")]
    assert ("Moods" in text.getvalue() or "moods" in text.getvalue(), demo.unscored) == (True, {})

"""Runs of the track through the command line: gold, stub and stored answers, compared, ranked and reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import UsageError
from benchwright.records import Answer
from benchwright.tracks.aicodereval.entry import build
from benchwright.tracks.aicodereval.track import TRACK
from benchwright.tracks.rows import Fields
from kit.command_line import benchwright, called
from kit.made_entries import SPEECH, TEXT, changed, write_entries

pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a folder with runs of gold and stub over the three sound entries."""
    folder = tmp_path_factory.mktemp("runs")
    data = write_entries(folder / "entries.jsonl")
    for model in ("gold", "stub"):
        said = called("run", "aicodereval", "--data", data, "--model", f"{model}:", "--out", folder / model)
        assert said.code == 0, said.err
    yield folder


def scores(run: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((run / "scores.json").read_text())
    return document


@pytest.mark.parametrize(("model", "value"), [("gold", 1.0), ("stub", 0.0)])
def test_gold_passes_every_level_and_a_stub_none(runs: Path, model: str, value: float) -> None:
    """This holds for all figures, and the self-check proved both."""
    found = scores(runs / model)

    assert {name: each["value"] for name, each in found["metrics"].items()} == dict.fromkeys(
        ("sr_all", "sr_any", "pass@1"), value
    )
    assert found["self_check"]["gold_passed"] == 3 and found["self_check"].get("stub_passed", 0) == 0
    assert sorted(found["details"]["groups"]) == ["domain", "level"]


def test_verdicts_say_how_each_level_ended(runs: Path) -> None:
    """There is one part per level, and the code size is among the scores."""
    lines = (runs / "gold" / "verdicts.jsonl").read_text().splitlines()
    verdicts = [json.loads(line) for line in lines]

    assert all(each["parts"] == dict.fromkeys(each["parts"], "passed") for each in verdicts)
    assert [len(each["parts"]) for each in verdicts] == [3, 3, 3]
    assert all(each["scores"]["code_tokens"] > 50 for each in verdicts)


def test_runs_are_ranked_compared_and_shown_by_these_rates(runs: Path) -> None:
    """The commands know no metric by name."""
    both = (runs / "gold", runs / "stub")
    compared, ranked = benchwright("compare", *both), called("rank", *both)
    page = runs / "page.html"
    reported = called("report", *both, "--out", page)

    assert (compared.code, ranked.code, reported.code) == (0, 0, 0)
    assert "SR@All 100.0 %" in compared.err and "SR@All" in ranked.err
    assert "SR@Any" in page.read_text(encoding="utf-8")


def test_stored_answers_of_any_form_are_judged(tmp_path: Path) -> None:
    """A body, a fenced function and a refusal: all levels, some, none."""
    data = write_entries(
        tmp_path / "entries.jsonl", changed(TEXT, task_id="a"), changed(TEXT, task_id="b"), SPEECH
    )
    constant = "```python\ndef classify_text(text, threshold=0.5):\n    return {'POSITIVE': 0.75}\n```"
    texts = {"a": TEXT["implementation"], "b": constant, "task_0003": "I cannot help with that."}
    stored = tmp_path / "answers.jsonl"
    stored.write_text(
        "".join(json.dumps({"task_id": key, "completion": text}) + "\n" for key, text in texts.items())
    )

    said = called(
        *("run", "aicodereval", "--data", data, "--model", f"replay:{stored}"),
        *("--out", tmp_path / "run", "--json"),
    )

    assert said.code == 0, said.err
    metrics = scores(tmp_path / "run")["metrics"]
    assert [round(metrics[name]["value"], 4) for name in ("sr_all", "sr_any")] == [0.3333, 0.6667]


def test_a_bad_row_is_named_before_anything_runs(tmp_path: Path) -> None:
    """The exit code is 3 or 2 as for any data set, with line and field."""
    data = write_entries(
        tmp_path / "entries.jsonl", TEXT, changed(SPEECH, signature="def transcribe_audio(path)")
    )

    said = called("run", "aicodereval", "--data", data, "--model", "gold:", "--out", tmp_path / "run")

    assert (
        said.code != 0 and "entries.jsonl:2" in said.err and "signature" in said.err and "colon" in said.err
    )


@pytest.mark.parametrize("row", [TEXT, SPEECH], ids=lambda row: row["task_id"])
def test_a_program_is_taken_from_an_answer(row: dict[str, Any]) -> None:
    """The whole canonical program, its body alone, and the stub; each has the imports of the head."""
    task = build(Fields(row, "made", 1))
    for text in (TRACK.gold(task) or "", row["implementation"], TRACK.stub(task)):
        found = TRACK.extract(
            task, Answer(key="k", task_id="t", sample=0, model="m", text=text), profile="strict"
        )
        assert found.problem is None and row["imports"][0] in found.program


def test_levels_are_the_only_form() -> None:
    """As in any track with one form."""
    assert TRACK.in_form("levels") is TRACK
    with pytest.raises(UsageError):
        TRACK.in_form("batch")

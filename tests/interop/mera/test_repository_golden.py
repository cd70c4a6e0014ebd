"""The profiles `mera-exact` of repository tasks against what MERA's own code gave, for 200 replies a task.

`golden/repositories.json` was recorded by hand with MERA_CODE and yabloco-benchmark at the named commits, in an
environment of their own: the digest of each extraction, the exact match of each function, the figures of thirty
outcomes, and the digests of what its packer makes of our logs.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import EXACT_MATCH, JudgedAnswer
from benchwright.interop.mera.run_results import from_file
from benchwright.interop.mera.submission import export
from benchwright.interop.mera.submission_check import check
from benchwright.interop.mera.task_sets import load_gold
from benchwright.judges.repositories.judge import is_exact_match
from benchwright.progress import Silent
from benchwright.records import Answer, Outcome, Task
from benchwright.registry import find
from kit.mera_replies import SAMPLES, rows
from kit.repository_replies import TRACKS, outcomes, repository_replies, stored_answers
from kit.small_data import write

_SCORES = {
    "pass_gt": "pass_oracle",
    "pass_return_pass": "pass_stub_pass",
    "pass_stub": "pass_stub_pass",
    "pass_return_empty_str": "pass_stub_empty_str",
    "pass_dry_run": "pass_dry_run",
    "status": "execution_success",
}


@cache
def golden() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "repositories.json").read_text())
    return found


def _programs(track: str) -> list[str]:
    found, tasks = find("track", track), list(find("track", track).load(SAMPLES / f"{track}.jsonl"))
    return [
        found.extract(
            tasks[at],
            Answer(key="", task_id=tasks[at].task_id, sample=0, model="m", text=text),
            profile="mera-exact",
        ).program
        for at, text in repository_replies(track)
    ]


@pytest.mark.parametrize("track", TRACKS)
def test_extraction_is_mera_s_byte_by_byte(track: str) -> None:
    """The text that is put into the file; for YABLoCo with its exact match."""
    programs = _programs(track)
    digests = [sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] for text in programs]
    expected = golden()[track]

    if track != "yabloco":
        assert digests == expected
        return
    references = [rows(track)[at]["outputs"] for at, _ in repository_replies(track)]
    matches = [float(is_exact_match(*pair)) for pair in zip(programs, references, strict=True)]
    assert [[*pair] for pair in zip(digests, matches, strict=True)] == expected


@pytest.mark.parametrize("track", ["realcode", "realcodejava"])
def test_figures_are_mera_s(track: str) -> None:
    """To 1e-9, from the same outcomes of thirty tasks."""
    wanted = dict(golden()["metrics"][track])
    left_out = "pass_stub" if track == "realcode" else "pass_return_pass"
    answers: dict[Any, list[JudgedAnswer]] = {}
    for number, ended in enumerate(outcomes(track)):
        scores = {_SCORES[name]: float(ended[name]) for name in _SCORES if name != left_out}
        end = Outcome.passed if ended["pass_gen"] else Outcome.wrong
        answers[number] = [JudgedAnswer(end, scores=scores)]
    tasks: dict[Any, Task] = {}
    measures = find("track", track).measures
    found = {name: metric.value for name, metric in measures.metrics(tasks, answers, (1,)).items()}

    assert measures.details(tasks, answers)["num_samples"] == wanted.pop("num_samples")
    assert {name: found[name] for name in wanted} == pytest.approx(wanted, abs=1e-9)


def test_exact_match_is_yabloco_s() -> None:
    """Over 200 replies, to 1e-9, whether or not there is an environment."""
    answers: dict[Any, list[JudgedAnswer]] = {
        number: [JudgedAnswer(Outcome.undecided, scores={EXACT_MATCH: match})]
        for number, (_, match) in enumerate(golden()["yabloco"])
    }
    found = find("track", "yabloco").measures.metrics({}, answers, (1,))

    assert found[EXACT_MATCH].value == pytest.approx(golden()["yabloco_metrics"]["exact_match"], abs=1e-9)
    assert "pass@1" not in found


@pytest.mark.parametrize(("track", "name"), TRACKS.items())
def test_the_submission_is_the_packer_s(track: str, name: str, tmp_path: Path) -> None:
    """Byte by byte; the check of it finds no error."""
    answers = write(tmp_path / "answers.jsonl", stored_answers(track))
    source = from_file(answers, data=str(SAMPLES / f"{track}.jsonl"), task_name=name, missing="refuse")
    exported = export(
        [source], out=tmp_path / "s.zip", none="null", logs=True, samples=None, workers=1, watch=Silent()
    )

    assert sha256(exported.parts[0].entry.data).hexdigest() == golden()["packed"][name]
    assert check(exported.path, {name: load_gold(SAMPLES / f"{track}.jsonl", task_set=name)}).errors == 0

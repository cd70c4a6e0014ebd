"""Logs of other tools, jobs of Ianvs, YAML and suite files with odd values end in errors of our own."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from benchwright.cli.suite_file import read_suite
from benchwright.errors import BenchwrightError, DataError
from benchwright.interop import lm_eval_scores
from benchwright.interop.ianvs.job_lint import lint
from benchwright.interop.inspect_ai_log import scores
from benchwright.store.yaml_documents import read_yaml
from kit.made_ianvs import small_job
from kit.made_inspect_log import header
from kit.mutating import mutants
from kit.needs import need_module
from kit.tool_logs import TIME, row, scored

EACH = 80
RESULTS = {"scores": [{"name": "match", "scorer": "match", "metrics": {"mean": {"value": 0.5}}}]}
TAGS = (
    "timestamp",
    "int",
    "float",
    "bool",
    "null",
    "binary",
    "omap",
    "pairs",
    "set",
    "str",
    "seq",
    "map",
    "merge",
)
TAGGED = (
    "99999-01-01",
    "2024-13-45",
    "''",
    "x",
    "_",
    "0b",
    "0x",
    "1:99",
    ".",
    "[1]",
    "[a, [b]]",
    "{a: b}",
    "!!int x",
)


def test_no_log_of_inspect_is_a_traceback(tmp_path: Path) -> None:
    """Headers, results and samples."""
    path = tmp_path / "log.json"
    whole = {**header(), "results": RESULTS, "samples": [scored("a", "C"), scored("b", 0.5)]}
    for mutant in mutants(whole, count=EACH):
        path.write_text(json.dumps(mutant))
        with suppress(BenchwrightError):
            scores.READER.read(path, texts=True)


@pytest.mark.parametrize("lacking", ["name", "scorer", "metrics"])
def test_a_reported_score_that_lacks_a_field(tmp_path: Path, lacking: str) -> None:
    """Inspect's own mean is then not known, which is no fault of the samples."""
    results = {"scores": [{key: value for key, value in RESULTS["scores"][0].items() if key != lacking}]}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**header(), "results": results, "samples": [scored("a", "C")]}))

    assert scores.READER.read(path).reported == {}


def test_no_log_of_lm_eval_is_a_traceback(tmp_path: Path) -> None:
    """Rows, and the results beside them."""
    path = tmp_path / f"samples_sums_{TIME}.jsonl"
    whole = {"rows": [row(0, 1.0), row(1, 0.0)], "results": {"higher_is_better": {"sums": {"acc": False}}}}
    for mutant in mutants(whole, count=EACH):
        rows: Any = mutant.get("rows") if isinstance(mutant, dict) else None
        results = mutant.get("results") if isinstance(mutant, dict) else None
        (tmp_path / f"results_{TIME}.json").write_text(json.dumps(results))
        path.write_text("".join(json.dumps(each) + "\n" for each in rows) if isinstance(rows, list) else "")
        with suppress(BenchwrightError):
            lm_eval_scores.READER.read(path, texts=True)


def test_no_job_of_ianvs_is_a_traceback(tmp_path: Path) -> None:
    """The job, its environment and its algorithm."""
    need_module("yaml")
    job = small_job(tmp_path)
    for file in ("job.yaml", "testenv.yaml", "always.yaml"):
        whole = (tmp_path / file).read_text()
        for mutant in mutants(json.loads(whole), count=EACH // 2):
            (tmp_path / file).write_text(json.dumps(mutant))
            with suppress(BenchwrightError):
                lint(job, root=tmp_path)
        (tmp_path / file).write_text(whole)


@pytest.mark.parametrize("tag", TAGS)
@pytest.mark.parametrize("text", TAGGED)
def test_no_tag_of_yaml_is_a_traceback(tmp_path: Path, tag: str, text: str) -> None:
    """A value that does not fit its tag is a fault of the file; one that does is read, or refused."""
    need_module("yaml")
    path = tmp_path / "job.yaml"
    for written in (
        f"a: !!{tag} {text}\n",
        f"!!{tag} {text}\n",
        f"? !!{tag} {text}\n: 1\n",
        f"<<: !!{tag} {text}\n",
    ):
        path.write_text(written)
        with suppress(DataError):
            read_yaml(path, purpose="a job", extra="ianvs")


def _toml(value: Any) -> str:
    """A TOML value, or what is none."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def test_no_suite_is_a_traceback(tmp_path: Path) -> None:
    """Tracks, models and settings of any type and length."""
    whole = {
        "out": "runs",
        "run": {"n": 2},
        "tracks": [{"track": "humaneval", "data": "a.jsonl", "name": "one"}],
        "models": [{"model": "gold", "name": "two"}],
    }
    path = tmp_path / "suite.toml"
    for mutant in mutants(whole, count=EACH):
        if not isinstance(mutant, dict):
            continue
        with suppress(UnicodeEncodeError):
            path.write_text("".join(f"{json.dumps(key)} = {_toml(each)}\n" for key, each in mutant.items()))
            with suppress(BenchwrightError):
                read_suite(path)

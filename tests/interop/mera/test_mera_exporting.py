"""A whole export: the zip, its logs, its summary, and refused input."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError, UsageError
from benchwright.interop.mera import submission
from benchwright.interop.mera.run_results import RunToRepeat, from_file, from_run
from benchwright.interop.mera.submission import ExportedSubmission, ProgramOutput, export
from benchwright.interop.mera.submission_check import check
from benchwright.interop.mera.task_sets import load_gold
from benchwright.progress import Silent
from kit.mera_runs import answer_file, data_set, run_folder

MIXED = [["right"] * 4 + ["wrong"] * 3 + ["none", "prose", "fenced"], ["wrong"] * 9 + ["right"]]

PAIR = ProgramOutput(["1", None])


def _source(folder: Path, *, private: bool = False, name: str | None = None) -> RunToRepeat:
    answers, data = answer_file(folder, MIXED), data_set(folder, private=private)
    return from_file(answers, data=str(data), task_name=name, missing="refuse")


def _export(*sources: RunToRepeat, out: Path, **changed: Any) -> ExportedSubmission:
    options = {"none": "null", "logs": True, "samples": None, "workers": 1, **changed}
    return export(sources, out=out, watch=Silent(), **options)


def _fake(monkeypatch: pytest.MonkeyPatch, given: ProgramOutput = PAIR) -> None:
    """Take the sandbox's part, where only what is written matters."""
    monkeypatch.setattr(submission, "run_programs", lambda programs, *_: [given for _ in programs])


def _document(path: Path, name: str = "ruHumanEval.json") -> Any:
    with zipfile.ZipFile(path) as packed:
        return json.loads(packed.read(name))


@pytest.mark.usefixtures("jail")
def test_an_export_that_is_checked(tmp_path: Path) -> None:
    """The checker finds nothing in it, and gives it the score that the answers deserve."""
    exported = _export(_source(tmp_path), out=tmp_path / "submission.zip")
    found = check(exported.path, {"ruHumanEval": load_gold(tmp_path / "data.jsonl")})
    served = found.sets[0].served["server"]

    assert (found.listed, exported.findings.kept) == ([], [])
    assert served.metrics["pass@1"] == pytest.approx((0.5 + 0.1) / 2)
    assert (exported.parts[0].counts, exported.parts[0].nulls) == ({"values": 18, "no_values": 2}, 4)


@pytest.mark.usefixtures("jail")
def test_the_outputs(tmp_path: Path) -> None:
    """Shape (1, generations, tests): texts of the values, null if there are none."""
    exported = _export(_source(tmp_path), out=tmp_path / "submission.zip")
    first, second = _document(exported.path)["data"]["test"]

    wanted = [["1", "2"]] * 4 + [["-999", "-998"]] * 3 + [[None, None]] * 2 + [["1", "2"]]
    assert first == {"outputs": [wanted], "meta": {"id": 1}}
    assert (second["meta"], len(second["outputs"]), len(second["outputs"][0])) == ({"id": 2}, 1, 10)


@pytest.mark.usefixtures("jail")
def test_private_tasks_of_a_run_that_was_not_judged(tmp_path: Path) -> None:
    """The ranked use: a run folder with answers alone makes ruCodeEval.json, and no score is claimed."""
    data = data_set(tmp_path, private=True)
    source = from_run(run_folder(tmp_path, data, MIXED), task_name=None, data=None, missing="refuse")
    exported = _export(source, out=tmp_path / "submission.zip")
    found = check(exported.path, {"ruCodeEval": load_gold(data)})

    assert (found.listed, found.sets[0].served) == ([], {})
    assert _document(exported.path, "ruCodeEval.json")["data"]["test"][0]["outputs"][0][0] == ["1", "2"]


def test_two_exports_are_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same answers make the same bytes."""
    _fake(monkeypatch)
    paths = [_export(_source(tmp_path), out=tmp_path / name).path for name in ("a.zip", "b.zip")]

    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_the_logs_are_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """logs_public.zip holds the log that the submission was made of."""
    _fake(monkeypatch)
    exported = _export(_source(tmp_path), out=tmp_path / "submission.zip")
    with zipfile.ZipFile(exported.path) as packed:
        names = packed.namelist()
        with zipfile.ZipFile(io.BytesIO(packed.read("logs_public.zip"))) as logs:
            content = {name: logs.read(name) for name in logs.namelist()}
    (log,) = content.values()
    rows = [json.loads(line) for line in log.decode().splitlines()]
    made = [{"outputs": row["filtered_resps"], "meta": {"id": row["doc"]["meta"]["id"]}} for row in rows]

    assert (names, list(content)) == (["ruHumanEval.json", "logs_public.zip"], [exported.parts[0].log.name])
    assert _document(exported.path) == {"data": {"test": made}}


def test_without_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts and answers stay at home when asked to."""
    _fake(monkeypatch)
    exported = _export(_source(tmp_path), out=tmp_path / "submission.zip", logs=False)
    with zipfile.ZipFile(exported.path) as packed:
        names = packed.namelist()

    assert names == ["ruHumanEval.json"]


def test_the_log_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MERA's packer reads a folder of logs: the file there is the one in the zip."""
    _fake(monkeypatch)
    (tmp_path / "logs").mkdir()
    exported = _export(_source(tmp_path), out=tmp_path / "submission.zip", samples=tmp_path / "logs")
    log = exported.parts[0].log

    assert (tmp_path / "logs" / log.name).read_bytes() == log.data


@pytest.mark.parametrize(("none", "written"), [("null", None), ("text", "None")])
def test_how_none_is_written(
    none: str, written: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As null, or as the log of lm-eval has it."""
    _fake(monkeypatch)
    exported = _export(_source(tmp_path), out=tmp_path / "submission.zip", none=none)

    assert _document(exported.path)["data"]["test"][0]["outputs"][0][0] == ["1", written]
    assert exported.parts[0].nulls == (20 if written is None else 0)


def test_a_timeout_is_written_as_mera_writes_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The string in place of the list, in either spelling of None; the checker's warning comes with it."""
    _fake(monkeypatch, ProgramOutput("timed out"))
    exported = _export(_source(tmp_path), out=tmp_path / "submission.zip", none="text")

    assert _document(exported.path)["data"]["test"][0]["outputs"] == [["timed out"] * 10]
    assert exported.findings.counts["timed-out", "ruHumanEval.json"] == 20


def test_two_task_sets_in_one_zip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each run becomes a separate file with its log."""
    _fake(monkeypatch)
    sources = [_source(tmp_path), _source(tmp_path, name="ruCodeEval")]
    exported = _export(*sources, out=tmp_path / "submission.zip")
    with zipfile.ZipFile(exported.path) as packed:
        names = packed.namelist()

    assert names == ["ruHumanEval.json", "ruCodeEval.json", "logs_public.zip"]


def test_two_runs_of_one_task_set(tmp_path: Path) -> None:
    """Both would be ruHumanEval.json: the hint says how to tell them apart."""
    with pytest.raises(UsageError, match=r"ruHumanEval\.json") as caught:
        _export(_source(tmp_path), _source(tmp_path), out=tmp_path / "submission.zip")

    assert "--task" in (caught.value.hint or "")


def test_a_failure_keeps_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A submission is replaced when the new one is complete, and not before."""
    out = tmp_path / "submission.zip"
    out.write_bytes(b"earlier")

    def fail(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(submission, "run_programs", fail)
    with pytest.raises(KeyboardInterrupt):
        _export(_source(tmp_path), out=out)

    assert (out.read_bytes(), (tmp_path / ".submission.zip.tmp").exists()) == (b"earlier", False)


@pytest.mark.parametrize(
    ("out", "samples", "error"),
    [
        ("submission", None, UsageError),
        ("a file/submission.zip", None, RunError),
        ("s.zip", "a file/logs", RunError),
    ],
)
def test_a_place_that_cannot_be_written(
    out: str, samples: str | None, error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused before anything is run."""
    (tmp_path / "a file").touch()
    monkeypatch.setattr(submission, "run_programs", None)
    folder = None if samples is None else tmp_path / samples
    with pytest.raises(error):
        _export(_source(tmp_path), out=tmp_path / out, samples=folder)

    assert not (tmp_path / out).exists()

"""Logs of Inspect and lm-eval in `compare`, `rank` and `report`, held against scipy, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from kit.command_line import benchwright, called
from kit.made_inspect_log import header, sample, write_document, write_members, write_zip
from kit.needs import need_module
from kit.small_runs import run_folder
from kit.tool_logs import INSPECT, LM_EVAL, TIME, inspect_log, lm_eval_log, row, scored


@pytest.fixture
def zstandard() -> None:
    """The test reads newer logs."""
    need_module("zipfile_zstd", "newer logs are packed with Zstandard")


def extracted(name: str, scorer: str) -> dict[str, list[float]]:
    """A task's scores in a real log of Inspect, read with nothing but a zip and JSON."""
    from zipfile import ZipFile

    import zipfile_zstd  # noqa: F401 (teaches zipfile the compression)

    tasks: dict[str, list[float]] = {}
    with ZipFile(INSPECT[name]) as archive:
        for member in sorted(each for each in archive.namelist() if each.startswith("samples/")):
            data = json.loads(archive.read(member))
            values = [] if data.get("error") else [data["scores"][scorer]["value"]]
            tasks.setdefault(data["id"], []).extend({"C": 1.0, "I": 0.0}.get(each, each) for each in values)
    return tasks


def paired(a: list[float], b: list[float]) -> dict[str, float]:
    """The figures of Bonett and Price's interval from scipy's t, for tasks that stand for themselves."""
    d = np.array(a) - np.array(b)
    padded = np.append(d, [1.0, -1.0])
    se = stats.sem(padded, ddof=0)
    low, high = stats.t.interval(0.95, len(d) - 1, loc=padded.mean(), scale=se)
    p = 2 * stats.t.sf(abs(padded.mean()) / se, len(d) - 1)
    return {"value": d.mean(), "low": low, "high": high, "p": p}


@pytest.mark.usefixtures("zstandard")
def test_two_real_logs_of_inspect_compare_in_one_line() -> None:
    """The difference is that of the extracted scores; the failed sample is named; groups come from the samples' metadata."""
    said = benchwright("compare", INSPECT["strong"], INSPECT["weak"], "--json")
    strong, weak = (extracted(name, "includes") for name in ("strong", "weak"))
    d = [np.mean(strong[task]) - np.mean(weak[task]) for task in strong]
    found = said.document

    assert said.code == 0
    assert found["difference"]["value"] == pytest.approx(np.mean(d), abs=1e-9)
    assert (found["metric"], found["grouping"], found["difference"]["clusters"]) == (
        "includes",
        "template",
        7,
    )
    assert [note for note in found["notes"] if "sum-07 epoch 2" in note and "server closed" in note]


def test_two_real_logs_of_lm_eval_compare_in_one_line() -> None:
    """A folder of one sample file is that file; the difference is that of the rows of the filter."""
    said = called("compare", LM_EVAL["strong"], LM_EVAL["weak"], "--json", "--metric", "exact_match,number")
    rows = {}
    for name, folder in LM_EVAL.items():
        [path] = folder.glob("samples_*.jsonl")
        each = [json.loads(line) for line in path.read_text().splitlines()]
        rows[name] = [given["exact_match"] for given in each if given["filter"] == "number"]
    found = said.document["difference"]

    assert found["value"] == pytest.approx(np.mean(rows["strong"]) - np.mean(rows["weak"]), abs=1e-9)
    assert (said.document["a"]["name"], said.document["b"]["name"]) == ("Stub/strong", "Stub/weak")


def test_figures_without_groups_are_those_of_scipy(tmp_path: Path) -> None:
    """Difference, interval, p and McNemar's p to 1e-9, of 0/1 scores."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 2, 60).astype(float) for _ in range(2))
    paths = [
        inspect_log(tmp_path / f"{name}.json", {i: float(v) for i, v in enumerate(values)})
        for name, values in (("a", a), ("b", b))
    ]
    found = called("compare", *paths, "--json").document["difference"]
    expected = paired(list(a), list(b))
    more, fewer = int((a > b).sum()), int((a < b).sum())

    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    assert found["mcnemar"] == pytest.approx(stats.binomtest(more, more + fewer).pvalue, abs=1e-9)


def test_a_run_beside_a_log_pairs_by_task_id(tmp_path: Path) -> None:
    """The metric of two names is the user's word; without it none is taken for the other."""
    mine = run_folder(tmp_path / "mine", {str(i): ["passed" if i % 2 else "wrong"] for i in range(8)})
    log = inspect_log(tmp_path / "log.json", {i: "C" if i % 4 == 0 else "I" for i in range(9)})
    refused = called("compare", mine, log)
    found = called("compare", mine, log, "--metric", "pass@1=match", "--json").document
    ranked = called("rank", mine, log, "--metric", "pass@1=match", "--json")

    assert refused.code == 1
    assert "--metric pass@1=match" in refused.err
    assert found["difference"]["value"] == pytest.approx(4 / 8 - 2 / 8, abs=1e-12)
    assert [note for note in found["notes"] if note.startswith("1 task in some/log and not in some-model: 8")]
    assert ranked.document["tasks"] == 8


def test_missing_failed_unscored_and_renamed_samples_are_named(tmp_path: Path) -> None:
    """Nothing is left out without its name."""
    head = header(task="sums", config={"epochs": 2}, dataset={"sample_ids": ["a", "b", "c", "d", "z"]})
    rows = [scored(task, "C", epoch) for task in "abc" for epoch in (1, 2)] + [scored("d", "I")]
    rows[1] = scored("a", "C", 2, error={"message": "server down"}, scores=None)
    rows[3] = scored("b", "unsure", 2)
    one = write_document(tmp_path / "one.json", rows, head)
    again = [scored(task, "C", epoch) for task in "abD" for epoch in (1, 2)]
    again[4:] = [scored("D", "C", epoch, input="question d") for epoch in (1, 2)]
    two = write_document(tmp_path / "two.json", again, header(task="sums", model="other"))
    notes = "\n".join(called("compare", one, two, "--json", "--allow", "coverage").document["notes"])

    for words in (
        "1 sample failed and are not counted: a epoch 2 (server down)",
        "1 sample without a score: b epoch 2",
        "1 task of its data set without a sample: z",
        "1 sample missing: d epoch 2",
        "1 task renamed, by what is asked, and left out, from some/model to other: d is D",
        "1 task in some/model and not in other: c",
    ):
        assert words in notes


@pytest.mark.usefixtures("zstandard")
def test_a_report_of_logs_shows_answers_and_claims_no_verdict(tmp_path: Path) -> None:
    """Both tools' logs make one page, which says who judged and names what failed."""
    out = tmp_path / "page.html"
    said = called("report", *INSPECT.values(), *LM_EVAL.values(), "--out", out, "--quiet")
    page = out.read_text()

    assert (said.code, said.out) == (0, f"{out}\n")
    assert "Inspect, not Benchwright" in page
    assert "sum-07 epoch 2" in page
    assert "self-check" not in page
    assert "without isolation" not in page


def faulty(folder: Path) -> dict[str, tuple[list[Any], str]]:
    """Wrong inputs by name: what is compared, and what is said."""
    good = inspect_log(folder / "good.json", {"a": "C", "b": "I", "c": "C"})
    plain = lm_eval_log(folder / "lm", [row(i, 1.0) for i in range(3)])
    text = folder / "notes.txt"
    text.write_text("hello")
    (folder / "empty").mkdir()
    several = folder / "several"
    for name in "ab":
        lm_eval_log(several / name, [row(0, 1.0)])
    bad = folder / "bad"
    bad.mkdir()

    def made(name: str, content: str | bytes) -> Path:
        path = bad / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def one(name: str, *rows: dict[str, Any], **changed: Any) -> Path:
        return write_document(bad / name, rows, header(task="sums", **changed))

    return {
        "no file": ([good, folder / "gone.eval"], "gone.eval"),
        "text": ([good, text], "neither a run folder nor a log"),
        "empty folder": ([good, folder / "empty"], "is not a run folder"),
        "several logs": ([good, several], "holds 2 logs"),
        "cut zip": ([good, made("cut.eval", b"PK\x03\x04abc")], "cut.eval: cannot read the zip archive"),
        "no zip": ([good, made("plain.eval", "{}")], "plain.eval: not a zip archive"),
        "no header": ([good, write_members(bad / "h.eval", {"x": "{}"})], "no log header"),
        "broken json": ([good, made("broken.json", "{")], "broken.json: invalid JSON"),
        "deep json": ([good, made("deep.json", "[" * 100_000)], "nested too deeply"),
        "other json": ([good, made("other.json", "{}")], "not an Inspect log"),
        "results file": ([good, made("results_x.json", '{"results": {}}')], "not an Inspect log"),
        "no scores": ([good, one("none.json", sample("a", scores={}))], "no sample has a score"),
        "scores a list": (
            [good, one("list.json", sample("a", scores=[1]))],
            "field `scores`: must be an object",
        ),
        "no id": ([good, one("id.json", scored(None, "C"))], "field `id`: must be a string"),  # type: ignore[arg-type]
        "epoch 0": ([good, one("epoch.json", scored("a", "C", 0))], "field `epoch`"),
        "twice": ([good, one("twice.json", scored("a", "C"), scored("a", "C"))], "duplicate epoch"),
        "two types": (
            [good, one("types.json", scored("1", "C"), scored(1, "C", 2))],
            "tasks cannot be matched",
        ),
        "out of range": (
            [good, one("range.json", scored("a", 7))],
            "no metric has values from 0 to 1: match",
        ),
        "other task": ([good, inspect_log(folder / "t.json", {"a": "C"}, task="hard")], "`track` differs"),
        "other content": (
            [good, one("content.json", *(scored(task, "C", input="new") for task in "abc"))],
            "3 tasks of one id ask other things",
        ),
        "no shared ids": ([good, inspect_log(folder / "ids.json", {1: "C", 2: "I"})], "share 0 tasks"),
        "lm-eval row": ([plain, made("samples_x.jsonl", "[1]\n")], "samples_x.jsonl:1"),
        "lm-eval results": (
            [plain, lm_eval_log(bad / "r", [row(0, 1.0)], results=[])],
            f"results_{TIME}.json: must be a JSON object",
        ),
        "two tools": ([good, plain], "no metric in common"),
        "same log": ([good, good], "is the same run as"),
        "a lying sample": (
            [good, write_zip(bad / "lie.eval", [scored("a", "C")], {"version": 2})],
            "no log header",
        ),
    }


def test_every_wrong_input_has_its_place_and_a_hint(tmp_path: Path) -> None:
    """26 faults: an exit code, the words, a hint, and no traceback."""
    found = {name: called("compare", *paths) for name, (paths, _) in faulty(tmp_path).items()}
    words = {name: said for name, (_, said) in faulty(tmp_path / "again").items()}
    silent = {
        name: said.err
        for name, said in found.items()
        if words[name] not in said.err
        or "hint:" not in said.err
        or "Traceback" in said.err
        or said.code not in (1, 2)
    }

    assert silent == {}
    assert len(found) >= 20

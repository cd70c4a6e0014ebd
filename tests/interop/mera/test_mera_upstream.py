"""Our files in the hands of MERA's own code: its packer, the scorer of its harness, and its server's scorer.

They need checkouts of MERA-Evaluation/MERA_CODE and MERA-Evaluation/MERA, and a Python that has what those
import: lm-eval 0.4.9, datasets, multiprocess, omegaconf, scikit-learn, torch. So they run only when asked for:

    BENCHWRIGHT_MERA_CODE=/path/MERA_CODE BENCHWRIGHT_MERA=/path/MERA \
    BENCHWRIGHT_MERA_PYTHON=/path/venv/bin/python python -m pytest -m integration tests/interop/mera

No answer is executed by MERA's code: only what was already computed is packed and scored.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import benchwright
from benchwright.interop.mera.findings import Findings, Severity
from benchwright.interop.mera.run_results import from_file
from benchwright.interop.mera.submission import ExportedSubmission, export
from benchwright.interop.mera.submission_check import check, check_document
from benchwright.interop.mera.task_sets import KINDS, load_gold
from benchwright.progress import Silent
from kit.mera_cases import EXPECTED, GOLD, NAME, generations, submission
from kit.needs import need_that
from kit.processes import HANG_S

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("jail")]

DEMO = Path(benchwright.__file__).parent / "demo"
DATA = DEMO / "ruhumaneval.jsonl"
CASES = 1000

HARNESS = """
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("upstream", sys.argv[1])
upstream = importlib.util.module_from_spec(spec)
spec.loader.exec_module(upstream)
docs = {doc["meta"]["id"]: doc for doc in map(json.loads, open(sys.argv[2], encoding="utf-8"))}
rows = json.load(open(sys.argv[3], encoding="utf-8"))["data"]["test"]
scores = [upstream.process_results(docs[row["meta"]["id"]], row["outputs"]) for row in rows]
print(json.dumps({name: float(sum(score[name] for score in scores) / len(scores)) for name in scores[0]}))
"""
# Only the module of one task is imported: the package's own __init__ imports those of all, with their needs.
SERVER = """
import json, os, sys, types
os.chdir(sys.argv[1])
sys.path.insert(0, sys.argv[1])
tasks = types.ModuleType("src.tasks")
tasks.__path__ = [os.path.join(sys.argv[1], "src", "tasks")]
sys.modules["src.tasks"] = tasks
from src.dataset import Dataset
from src.tasks.ruhumaneval import ruHumanEval
task = ruHumanEval(conf="configs/main.yaml")
task.log_fn = lambda text: None
cases = json.load(open(sys.argv[2], encoding="utf-8"))
golds = {int(name): {"outputs": texts} for name, texts in cases["expected"].items()}
task.gold = Dataset(local_path="", name=task.name, log=task.log, examples=golds)
results = []
for document in cases["documents"]:
    with open(sys.argv[3], "w", encoding="utf-8") as file:
        json.dump(document, file)
    try:
        scores, errors = task.evaluate(sys.argv[3])
        results.append({"scores": scores, "errors": sorted({error["type"] for error in errors})})
    except Exception as error:
        results.append({"scores": {}, "errors": ["task_system_error"]})
print(json.dumps(results))
"""


def _there(variable: str) -> Path:
    """A path that the environment names, or a skip."""
    value = os.environ.get(variable)
    need_that(value and Path(value).exists(), f"MERA's code is not there: set {variable}")
    return Path(str(value))


def _python(*args: object, cwd: Path) -> str:
    """What MERA's Python prints, on its last line; offline, since nothing of this needs the network."""
    python = _there("BENCHWRIGHT_MERA_PYTHON")
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_DATASETS_CACHE": str(cwd / "cache")}
    done = subprocess.run(
        [str(python), *map(str, args)],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip().splitlines()[-1]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> ExportedSubmission:
    """The demo's weak model, exported with its log: timeouts, exceptions and wrong values are in it."""
    _there("BENCHWRIGHT_MERA_PYTHON")
    folder = tmp_path_factory.mktemp("exported")
    (folder / "logs").mkdir()
    answers = DEMO / "demo-weak.jsonl"
    source = from_file(answers, data=str(DATA), task_name=None, missing="refuse")
    return export(
        [source],
        out=folder / "submission.zip",
        none="null",
        logs=True,
        samples=folder / "logs",
        workers=None,
        watch=Silent(),
    )


def test_the_packer_makes_the_same_file_of_our_log(exported: ExportedSubmission, tmp_path: Path) -> None:
    """scripts/log_to_submission.py works on our log unchanged, and writes the bytes that we wrote."""
    script = _there("BENCHWRIGHT_MERA_CODE") / "scripts" / "log_to_submission.py"
    (tmp_path / "code_tasks").mkdir()
    (tmp_path / "code_tasks" / "config.yaml").write_text("dataset_path: MERA-evaluation\n")
    for name in KINDS:
        (tmp_path / "MERA-evaluation" / name).mkdir(parents=True)
        (tmp_path / "MERA-evaluation" / name / "test.jsonl").write_text('{"meta": {"id": 1}}\n')
    logs = exported.path.parent / "logs"
    _python(script, "--outputs_dir", logs, "--dst_dir", tmp_path / "packed", cwd=tmp_path)

    assert (tmp_path / "packed" / NAME).read_bytes() == exported.parts[0].entry.data


def test_the_harness_gives_our_score(exported: ExportedSubmission, tmp_path: Path) -> None:
    """`process_results` of its ruHumanEval task, over our file, to the last digit."""
    path = _there("BENCHWRIGHT_MERA_CODE") / "code_tasks" / "ruhumaneval" / "utils.py"
    (tmp_path / NAME).write_bytes(exported.parts[0].entry.data)
    said = json.loads(_python("-c", HARNESS, path, DATA, tmp_path / NAME, cwd=tmp_path))
    found = check(exported.path, {"ruHumanEval": load_gold(DATA)})

    assert said == pytest.approx(found.sets[0].served["harness"].metrics, abs=1e-12)


def test_the_server_gives_our_score(exported: ExportedSubmission, tmp_path: Path) -> None:
    """The task's `evaluate` of its scoring module, over our file."""
    gold = load_gold(DATA)
    document = json.loads(exported.parts[0].entry.data)
    (result,) = _served(gold.expected, [document], tmp_path)

    assert result["errors"] == []
    assert result["scores"] == pytest.approx(
        check(exported.path, {"ruHumanEval": gold}).sets[0].served["server"].metrics, abs=1e-12
    )


def test_the_checker_says_what_the_server_does(tmp_path: Path) -> None:
    """A thousand spoiled documents: the same scores, the same errors, and never a refusal without an error."""
    documents = [_spoil(random.Random(seed)) for seed in range(CASES)]
    theirs = _served(EXPECTED, documents, tmp_path)
    ours = [_judged(document) for document in documents]
    refused = [result["errors"] != [] for result in theirs]

    assert [each["refused"] for each in ours] == refused
    assert [each["scores"] for each in ours if not each["refused"]] == [
        pytest.approx(result["scores"], abs=1e-12) for result in theirs if not result["errors"]
    ]
    assert all(each["errors"] for each in ours if each["refused"])


def _served(expected: Any, documents: list[Any], folder: Path) -> list[dict[str, Any]]:
    module = _there("BENCHWRIGHT_MERA") / "modules" / "scoring"
    cases = folder / "cases.json"
    cases.write_text(json.dumps({"expected": expected, "documents": documents}), encoding="utf-8")
    results: list[dict[str, Any]] = json.loads(
        _python("-c", SERVER, module, cases, folder / NAME, cwd=folder)
    )
    return results


def _judged(document: Any) -> dict[str, Any]:
    found = Findings()
    checked = check_document(document, KINDS["ruHumanEval"], GOLD, NAME, found)
    served = checked.served.get("server")
    return {
        "scores": served.metrics if served else {},
        "refused": served is None or bool(served.errors),
        "errors": found.number(Severity.error),
    }


VALUES = [None, "", "None", 2, 2.5, True, ["2"], {"a": 1}]
GENERATIONS = ["timed out", "code", None, 5, {}, {"0": "2"}, [], ["x"], [None, None], True]
OUTPUTS: list[Callable[[random.Random, int], Any]] = [
    lambda draw, task: [[_generation(draw, task) for _ in range(10)]],
    lambda draw, task: [[_generation(draw, task) for _ in range(draw.randint(0, 9))]],
    lambda draw, task: [_generation(draw, task) for _ in range(draw.randint(0, 3))],
    lambda draw, task: generations(task),
    lambda draw, task: draw.choice(["code", None, 5, {}, [], [[]], [None], ["abc"], [{}], [5], [""]]),
]
TOPS = [[], 5, None, "data", {}, {"data": []}, {"data": {}}, {"data": "test"}, {"data": {"test": {}}}]


def _generation(draw: random.Random, task: int) -> Any:
    texts = list(EXPECTED[task])
    kind = draw.random()
    if kind < 0.5:
        return texts
    if kind < 0.75:
        return [draw.choice([text, text, *VALUES]) for text in texts]
    return draw.choice(GENERATIONS)


def _spoil(draw: random.Random) -> Any:
    """A submission with a fault or two, or, now and then, with none."""
    if draw.random() < 0.05:
        return draw.choice(TOPS)
    made = submission()
    rows = made["data"]["test"]
    for _ in range(draw.randint(0, 2)):
        task = draw.randint(1, 3)
        rows[task - 1] = {"outputs": draw.choice(OUTPUTS)(draw, task), "meta": {"id": _id(draw, task)}}
    if draw.random() < 0.2:
        rows[draw.randint(0, 2)] = draw.choice(
            [5, None, "row", {}, {"meta": {"id": 1}}, {"outputs": []}, {"outputs": [], "meta": {"id": [1]}}]
        )
    if draw.random() < 0.1:
        rows.append(rows[0])
    return made


def _id(draw: random.Random, task: int) -> Any:
    return draw.choice([task] * 9 + [str(task), float(task), True, None, 99])

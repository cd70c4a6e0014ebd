"""Ianvs itself and `ianvs run` over the same jobs: equal rows, under v0.3.0 and under the latest that is known.

Not part of `./run test`, since Ianvs needs about 600 MB of packages. To repeat it:

    sh tests/integration/setup_ianvs.sh /tmp/benchwright-ianvs
    /tmp/benchwright-ianvs/bin/python -m pytest -m integration tests/integration/test_real_ianvs.py
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from benchwright.interop.ianvs.job_export import Mode, export_job
from benchwright.interop.ianvs.rank_files import EXTRA
from kit.made_ianvs import ACC, MODEL, REPLIES, algorithm, job, module, write, write_lines
from kit.needs import need_module, need_that

HOME = Path(sys.prefix)
ROOT = Path(__file__).parents[2]
VERSIONS = ("v0.3.0", "main")
LIMIT_S = 600
DEMO = ROOT / "src" / "benchwright" / "demo" / "smartcoding"
EXAMPLE = Path("examples/smart_coding/smart_coding_learning_bench/comment")
AUTHORS_HOME = "/home/xiebo/ianvs"
OWN = ("time", "url", *EXTRA)  # columns that differ from run to run, and those beyond Ianvs

# The example loads a language model and asks a judge in the network: these are in their place.
TRANSFORMERS = """
class AutoModelForCausalLM:
    @classmethod
    def from_pretrained(cls, path, **options):
        return cls()

    def generate(self, input_ids, **options):
        return input_ids


class Encoded:
    def __init__(self, texts):
        self.input_ids = texts

    def to(self, device):
        return self


class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, path):
        return cls()

    def apply_chat_template(self, messages, **options):
        return messages[-1]["content"]

    def __call__(self, texts, **options):
        return Encoded(texts)

    def batch_decode(self, ids, **options):
        return ["an answer"]
"""
OPENAI = f"""
from types import SimpleNamespace

REPLIES = {REPLIES!r}


class OpenAI:
    def __init__(self, **options):
        self.chat = SimpleNamespace(completions=self)

    def create(self, *, messages, **options):
        said = REPLIES[int(messages[-1]["content"].split(":")[0])]
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=said))])
"""

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("installed")]


@pytest.fixture(scope="module")
def installed() -> None:
    """The tests run Ianvs itself."""
    need_that((HOME / "ianvs-main").is_dir(), "Ianvs is not here: see setup_ianvs.sh")


def start(
    program: str,
    words: list[str],
    folder: Path,
    *,
    paths: tuple[Path, ...] = (),
    codes: tuple[int, ...] = (0,),
    view: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> None:
    """Run a program of Python's to its end; what it says is shown where it fails. `view` starts its command."""
    known = {"PYTHONPATH": os.pathsep.join(map(str, paths)), "DEEPSEEK_API_KEY": "none"}
    done = subprocess.run(
        [*view, sys.executable, "-c", program, *words],
        cwd=folder,
        env={**os.environ, **known, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert done.returncode in codes, done.stdout[-3000:] + done.stderr[-3000:]


def ianvs(
    folder: Path, file: str, version: str, *, stubs: Path | None = None, **how: Any
) -> list[dict[str, str]]:
    """The rows that Ianvs itself gives."""
    paths = (HOME / f"ianvs-{version}", *([stubs] if stubs else []))
    start("from core.cmd.benchmarking import main; main()", ["-f", file], folder, paths=paths, **how)
    return rows(folder)


def ours(
    folder: Path, file: str, *options: str, stubs: Path | None = None, compat: str = "strict", **how: Any
) -> list[dict[str, str]]:
    """The rows that `ianvs run` gives; in its default mode exit code 1 says that some have no rank."""
    words = ["ianvs", "run", "-f", file, *(["--compat", compat] if compat else []), *options]
    program = "from benchwright.cli.main import main; main()"
    codes = (0,) if compat else (0, 1)
    start(program, words, folder, paths=(stubs,) if stubs else (), codes=codes, **how)
    return rows(folder)


def rows(folder: Path) -> list[dict[str, str]]:
    """All results of the one job in a folder, without what is its run's own."""
    (path,) = folder.rglob("rank/all_rank.csv")
    with path.open(newline="") as file:
        found = list(csv.DictReader(file))
    shutil.rmtree(path.parents[2])
    return [{name: value for name, value in row.items() if name not in OWN} for row in found]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["comments", "issues"])
def test_exports_give_the_same_figures(tmp_path: Path, kind: str, version: str) -> None:
    """The shipped examples, which `ianvs export` has written: every figure to its last digit."""
    folder = Path(shutil.copytree(ROOT / "examples" / "ianvs" / kind, tmp_path / kind))
    theirs = ianvs(folder, "benchmarkingjob.yaml", version)

    assert theirs == ours(folder, "benchmarkingjob.yaml")
    assert len(theirs) == 1 and theirs[0]["rank"] == "1"


@pytest.mark.parametrize("mode", ["stored", "live"])
@pytest.mark.parametrize("kind", ["comments", "issues"])
def test_exports_pass_pylint(tmp_path: Path, kind: str, mode: Mode) -> None:
    """As Ianvs's workflow calls it."""
    need_module("pylint", reason="needs pylint, which setup_ianvs.sh installs")
    own = {"model": f"replay:{DEMO}/{kind}/demo-strong.jsonl", "judge": f"replay:{DEMO}/{kind}/judge"}
    export_job(f"smartcoding-{kind}", f"{DEMO}/{kind}.jsonl", tmp_path / "example", mode=mode, **own)
    files = sorted(map(str, (tmp_path / "example").rglob("*.py")))
    command = [sys.executable, "-m", "pylint", "--max-positional-arguments=10", *files]
    result = subprocess.run(
        command, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S
    )

    assert len(files) == 2 and result.returncode == 0, result.stdout


@pytest.mark.parametrize("version", VERSIONS)
def test_a_grid_gives_the_same_rows(tmp_path: Path, version: str) -> None:
    """Two hyperparameters with two values each, and an algorithm that has none of them."""
    write(tmp_path, acc_py=ACC, model_py=MODEL, plain_py=MODEL.replace('alias="model"', 'alias="plain"'))
    varied = module("model", "./model.py", letter=["A", "B"], rate=[0.1, 2])
    path = job(
        tmp_path,
        {
            "varied": algorithm(tmp_path, "varied", varied),
            "plain": algorithm(tmp_path, "plain", module("plain", "./plain.py")),
        },
        rank=shown("acc"),
    )
    theirs = ianvs(tmp_path, path.name, version)

    assert in_order(theirs) == in_order(ours(tmp_path, path.name))
    assert sorted(row["basemodel-letter"] for row in theirs) == ["", "A", "A", "B", "B"]


def shown(metric: str) -> dict[str, Any]:
    """How a job is ranked, with all that Ianvs wants to be told."""
    return {
        "sort_by": [{metric: "descend"}],
        "visualization": {"mode": "selected_only", "method": "print_table"},
        "selected_dataitem": {
            "paradigms": ["all"], "modules": ["all"], "hyperparameters": ["all"], "metrics": [metric]
        },
        "save_mode": "selected_and_all",
    }  # fmt: skip


def in_order(found: list[dict[str, str]]) -> list[dict[str, str]]:
    """Rows without their rank, which is of the order among equal ones; figures stay."""
    kept = [{name: value for name, value in row.items() if name != "rank"} for row in found]
    return sorted(kept, key=lambda row: sorted(row.items()))


def test_a_published_example_as_it_is(tmp_path: Path) -> None:
    """A judge's 7, 9, 8.5, no score and 7: Ianvs gives 7.75, and so do we in `strict`, with the home seen through.

    Under v0.3.0: later versions want a method `preprocess`, which the example has not.
    """
    stubs, folder = tmp_path / "stubs", tmp_path / "checkout"
    write(stubs, transformers_py=TRANSFORMERS, openai_py=OPENAI)
    shutil.copytree(HOME / "ianvs-main" / EXAMPLE, folder / EXAMPLE)
    data = folder / "dataset" / "smart_coding" / "comment"
    write_lines(data / "train_data" / "data.jsonl", [])
    described = {"dataset": "d", "description": "", "level_1_dim": "code", "level_2_dim": "comment"}
    write_lines(data / "test_data" / "metadata.json", [described])
    empty = {"level_3_dim": "", "level_4_dim": ""}
    write_lines(
        data / "test_data" / "data.jsonl",
        [
            {"query": f"q{number}", "response": "r", "judge_prompt": f"{number}: ", **empty}
            for number in range(len(REPLIES))
        ],
    )
    file = str(EXAMPLE / "benchmarkingjob.yaml")
    mine = ours(folder, file, "--path-map", f"{AUTHORS_HOME}=.", stubs=stubs)
    for path in folder.rglob("*.yaml"):  # Ianvs itself cannot see through it
        path.write_text(path.read_text().replace(AUTHORS_HOME, "."))
    theirs = ianvs(folder, file, "v0.3.0", stubs=stubs)

    assert theirs == mine
    assert [row["llm_judgement"] for row in theirs] == ["7.75"]

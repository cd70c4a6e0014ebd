"""Each benchmark's own command line, from start to table, at the smallest size that it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks import environment, suites, suites_drive
from kit.examples import SCALE
from kit.needs import need, need_ready, need_sandbox, need_that

ROOT = Path(__file__).resolve().parents[2]
GUARD_S = 1200.0  # only ends what hangs
TASKS = {
    "double": ("def double(x):\n", "    return x * 2\n", "assert candidate(2) == 4"),
    "joined": (
        "def joined(words):\n",
        "    return '-'.join(words)\n",
        "assert candidate(['a', 'b']) == 'a-b'",
    ),
    "least": ("def least(x, y):\n", "    return x if x < y else y\n", "assert candidate(3, 2) == 2"),
}


def bench(*words: str) -> dict[str, Any]:
    """The JSON document of one benchmark. `words` are all that a user types after `./run bench`."""
    command = [sys.executable, "-m", "benchmarks", *words, "--json"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=GUARD_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Three tasks in HumanEval's form."""
    rows = [
        {
            "task_id": f"Example/{number}",
            "prompt": f'{head}    """One line."""\n',
            "entry_point": name,
            "canonical_solution": body,
            "test": f"def check(candidate):\n    {check}\n",
        }
        for number, (name, (head, body, check)) in enumerate(TASKS.items())
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_suites() -> None:
    """A language by the command: a line for each peer, and a steadiness of its own."""
    need_sandbox()
    report = bench("suites", "python", "--pairs", "1", "--repeats", "1")

    assert {line["language"] for line in report["lines"]} == {"python"}
    assert [each["peer"] for each in report["steady"]] == [line["peer"] for line in report["lines"]]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["java", "go"] if SCALE > 1 else ["java"])
def test_a_pair_of_every_other_language(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours and the first peer end it as it was made to; further peers are the same with other flags.

    Go only weekly: `go test` compiles the standard library a second time, which takes 20 seconds.
    """
    need_sandbox()
    monkeypatch.chdir(tmp_path)
    absent = suites.prepare([language])
    need_that(not absent, f"no {language} here: {absent.get(language)}")
    for who in (suites.OURS, suites_drive.contest_of(language).peers[0].name):
        suites_drive.drive(language, who, "1")


def test_asking() -> None:
    """Requests to the stub server, and memory at two sizes."""
    report = bench("asking", "--requests", "4", "--repeats", "1", "--concurrency", "2", "--memory", "4", "8")

    assert report["rounds"] == 1


def test_cost_and_verdicts_beside_the_peers(data: Path) -> None:
    """Every contestant judges every sample, and both kinds of ratio come out; then the verdicts agree."""
    need_sandbox()
    need("bwrap", "the peers are executed in")
    need_ready(environment.ensure_peers, "the peers cannot be installed here")
    words = ("--samples", "2", "--repeats", "1", "--suites", "skipped", "--data", str(data))
    cost = bench(*words)["cost"]
    agreement = bench("verdicts", "--mutants", "1", "--data", str(data))

    assert {line["passed"] for line in cost["lines"]} == {6}
    assert all(pair["sample"]["median"] > 0 < pair["single"]["median"] for pair in cost["comparisons"])
    assert agreement["canonical_agreed"] == agreement["canonical_total"] == 3

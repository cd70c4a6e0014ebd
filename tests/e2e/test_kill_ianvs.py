"""A job that is killed, and one on a small device: nothing is asked twice, and little is needed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kit.command_line import benchwright
from kit.made_ianvs import ACC, MODEL, algorithm, job, judged_job, module, small_job, write, write_lines
from kit.needs import need_module
from kit.processes import HANG_S, all_gone, descendants, wait_until

ITEMS = 12
COUNTING = MODEL.replace(
    "        return self.letter",
    """        with open("asked.txt", "a") as file:
            file.write(question + "\\n")
        if question == "q7" and not __import__("os").path.exists("on"):
            while True:
                pass
        return self.letter""",
)
START = "from benchwright.cli.main import main; main()"


def counting_job(folder: Path) -> Path:
    """A job whose model hangs at its eighth item until it is told to go on."""
    write(folder, acc_py=ACC, model_py=COUNTING)
    path = job(folder, {"one": algorithm(folder, "one", module("model", "./model.py"))})
    write_lines(folder / "data.jsonl", [{"question": f"q{number}", "answer": "A"} for number in range(ITEMS)])
    return path


def test_a_killed_job_asks_for_one_item_again(tmp_path: Path) -> None:
    """With -9 while the model works: its process ends too, and the next run asks for the rest alone."""
    path = counting_job(tmp_path)
    asked = tmp_path / "asked.txt"
    command = [sys.executable, "-c", START, "ianvs", "run", "-f", "job.yaml", "-q", "--items", "each"]
    running = subprocess.Popen(command, cwd=tmp_path)
    assert wait_until(lambda: asked.exists() and asked.read_text().endswith("q7\n"))
    below = descendants(running.pid)
    running.send_signal(signal.SIGKILL)
    running.wait(HANG_S)
    assert below and all_gone(below)
    (tmp_path / "on").touch()
    said = benchwright("ianvs", "run", "-f", path.name, "--json", "--items", "each", cwd=tmp_path)

    assert asked.read_text().split() == [
        *(f"q{number}" for number in range(8)),
        *(f"q{n}" for n in range(7, ITEMS)),
    ]
    assert (said.code, said.document["results"][0]["metrics"]["acc"]["value"]) == (0, 1.0)
    assert said.document["results"][0]["remarks"] == ["7 of 12 predictions are from an earlier process"]


def test_what_a_case_starts_ends_with_it(tmp_path: Path) -> None:
    """A server that an example leaves running is ended, and what the job waits for is the case alone."""
    leaving = MODEL.replace(
        "        return None\n\n    def train",
        """        import subprocess
        child = subprocess.Popen(["sleep", "3600"])
        open("left.txt", "w").write(str(child.pid))
        return None

    def train""",
        1,
    )
    write(tmp_path, acc_py=ACC, model_py=leaving)
    path = job(tmp_path, {"one": algorithm(tmp_path, "one", module("model", "./model.py"))})
    said = benchwright("ianvs", "run", "-f", path.name, cwd=tmp_path)
    left = int((tmp_path / "left.txt").read_text())

    assert said.code == 0
    assert wait_until(lambda: not _alive(left))


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_small_address_space(tmp_path: Path) -> None:
    """Under 512 MB of addresses, with the example's own numpy."""
    need_module("numpy")
    path = judged_job(tmp_path)
    model = tmp_path / "judged.py"
    model.write_text("import numpy\n" + model.read_text())
    command = ["sh", "-c", 'ulimit -v 524288 && exec "$@"', "sh", sys.executable, "-c", START]
    done = subprocess.run(
        [*command, "ianvs", "run", "-f", path.name, "--compat", "strict"],
        cwd=tmp_path,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )

    assert (done.returncode, "7.75" in done.stderr) == (0, True), done.stderr


_LARGEST = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.parametrize("items", ["each", "all"])
def test_many_records_and_a_long_one(tmp_path: Path, items: str) -> None:
    """20,000 records of 2 KB and one of 200 KB: an array of fixed width takes 15.8 GB for them, a list 60 MB."""
    path = small_job(tmp_path)
    long = {"question": "long " * 40_000, "answer": "A"}
    write_lines(
        tmp_path / "data.jsonl",
        [*({"question": f"{number} " * 400, "answer": "A"} for number in range(20_000)), long],
    )
    command = [sys.executable, "-c", START, "ianvs", "run", "-f", path.name, "-q", "--items", items]
    done = subprocess.run(
        [sys.executable, "-c", _LARGEST, *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=True,
    )

    largest_mb = int(done.stdout) >> 10
    assert largest_mb < 105  # of one process; the other takes 22 MB

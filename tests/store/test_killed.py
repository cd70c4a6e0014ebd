"""A killed writer loses at most the line that it was writing."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchwright.records import Answer
from benchwright.store.writing import Appender, read_records
from kit.examples import examples

KILLS = examples(8)
WRITER = """
import sys
from pathlib import Path
from benchwright.records import Answer
from benchwright.store.writing import Appender, read_records
path = Path(sys.argv[1])
with Appender(path) as writer:
    done = sum(1 for _ in read_records(path, Answer))
    print("ready", flush=True)
    while True:
        text = str(done) + "y" * (done % 40 * 20_000)
        writer.append(Answer(key=str(done), task_id=done, sample=0, model="m", text=text))
        done += 1
        print(done, flush=True)
"""


def run_and_kill(path: Path, after: int) -> int:
    """Kill a writer some time after it has reported this number of records; return the number of all that it
    reported."""
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout
        said = [child.stdout.readline() for _ in range(after + 1)]
        child.send_signal(signal.SIGKILL)
        said += child.stdout.read().splitlines()
    return int(said[-1]) if len(said) > 1 else 0


@pytest.mark.slow
def test_every_reported_record_survives_kills(tmp_path: Path) -> None:
    """After each kill the file opens, has all reported records, and continues without a gap."""
    path = tmp_path / "answers.jsonl"
    chance = random.Random(20)
    lost, reported, torn = 0, 0, b'{"key": "torn'
    for turn in range(KILLS):
        reported = max(reported, run_and_kill(path, chance.randint(0, 12)))
        if turn % 2:  # a kill may fall between writes, so add an incomplete line
            with path.open("ab") as file:
                file.write(torn)
        with Appender(path) as writer:
            cut = writer.cut
        rows = list(read_records(path, Answer))
        complete = all(row.text == str(index) + "y" * (index % 40 * 20_000) for index, row in enumerate(rows))
        lost += not complete or len(rows) < reported or (turn % 2 == 1 and cut < len(torn))

    assert (lost, reported > KILLS) == (0, True)

"""Processor time and memory of assessing stored judge replies: 2,000 and 20,000 of them.

`./run python -m benchmarks.assessing [--json] [--replies N N]` makes a run over issues and has a judge of
fixed replies assess it, then replays those replies in a process of its own, which is what is measured:
reading answers, verdicts and replies, making each prompt for its key, and writing assessments and verdicts.
The self-check of the judge, of another 64 replies, is in it. The number of tasks is the same for both sizes,
since tasks are held in memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from shutil import copytree
from typing import Any

from benchmarks.measure import peak_mib
from benchwright import registry
from benchwright.contracts import Prompt
from benchwright.judges.rubric.contrast import BETTER, contrast_items
from benchwright.progress import Silent
from benchwright.records import Answer, Task, TaskId
from benchwright.running.assessing import assess
from benchwright.running.options import JudgeOptions, RunOptions
from benchwright.running.pipeline import run
from benchwright.running.plan import make_plan
from benchwright.running.run_folders import open_folder

TASKS = 100
LIMIT_MS, LIMIT_GROWTH = 2.0, 1.1
_RIGHT = {each.name for each in contrast_items("issues") if each.answer == BETTER}
_CONTRAST = {each.name for each in contrast_items("issues")}
_SENTENCE = (
    "The reader keeps one block at a time, so the size of the file decides nothing but the time it takes. "
)


class Fixed:
    """A judge that proves itself, and finds every other answer right."""

    spec, deterministic = "fixed:", True
    takes = frozenset({"schema"})

    def identity(self) -> Mapping[str, Any]:
        """Its name."""
        return {"name": "fixed"}

    def samples(self, task: Task) -> int | None:
        """As many as asked."""
        return None

    def answer(self, prompts: Iterable[Prompt], tasks: Mapping[TaskId, Task]) -> Iterator[Answer]:
        """A reply to each, with a quotation from the answer."""
        for prompt in prompts:
            right = prompt.task_id in _RIGHT or (prompt.task_id not in _CONTRAST and prompt.sample % 2 == 0)
            said = {"evidence": ["one block at a time"], "reason": _SENTENCE, "reference": 1}
            text = json.dumps({**said, "label": "correct" if right else "wrong"})
            yield Answer(
                key=prompt.key,
                task_id=prompt.task_id,
                sample=prompt.sample,
                model="fixed",
                prompt=prompt.variant,
                text=text,
                tokens_in=900,
                tokens_out=60,
            )


def open_fixed(rest: str, **_: Any) -> Fixed:
    """For the registry."""
    return Fixed()


def write_inputs(folder: Path, replies: int) -> None:
    """A data set of questions with two references of some 600 characters, and answers of as many."""
    rows = [
        {
            "instruction": "{question}\n\n{body}",
            "inputs": {"question": f"Why is file {number} read so slowly?", "body": _SENTENCE * 4},
            "outputs": {"references": [{"body": f"{place} {_SENTENCE * 6}"} for place in range(2)]},
            "meta": {"id": f"q{number}"},
        }
        for number in range(TASKS)
    ]
    (folder / "issues.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with (folder / "answers.jsonl").open("w") as file:
        for number in range(replies):
            row = {"task_id": f"q{number % TASKS}", "completion": f"Answer {number}. {_SENTENCE * 6}"}
            file.write(json.dumps(row) + "\n")


def options_of(folder: Path, *judges: str) -> RunOptions:
    """A run over the stored answers, assessed by these judges."""
    return RunOptions(
        track="smartcoding-issues",
        data=str(folder / "issues.jsonl"),
        model=f"replay:{folder / 'answers.jsonl'}",
        judges=JudgeOptions(specs=judges),
    )


def measured(folder: Path) -> dict[str, float]:
    """What replaying the replies takes in this process: milliseconds of processor time a reply, and MB."""
    plan = make_plan(options_of(folder, f"replay:{folder / 'first'}"))
    with open_folder(plan, folder / "second", "either", Silent()) as opened:
        before = time.process_time()
        assess(plan, opened, Silent())
        spent = time.process_time() - before
    return {"replies": plan.total, "cpu_ms": 1000 * spent / plan.total, "peak_mb": peak_mib()}


def prepare(folder: Path, replies: int) -> None:
    """A run that a judge has assessed, `first`, and the same without a judge, `second`."""
    write_inputs(folder, replies)
    given = options_of(folder)
    fields: dict[str, Any] = {"data": given.data, "model": given.model, "out": folder / "first"}
    run(given.track, **fields)
    copytree(folder / "first", folder / "second")
    run(given.track, **fields, judges=JudgeOptions(specs=("fixed:x",)))


def one(replies: int) -> dict[str, float]:
    """The figures of one size."""
    with tempfile.TemporaryDirectory() as name:
        registry.MODELS["fixed"] = "benchmarks.assessing:open_fixed"  # type: ignore[index]
        prepare(Path(name), replies)
        line = [sys.executable, "-m", "benchmarks.assessing", "--child", name]
        done = subprocess.run(line, check=True, capture_output=True, text=True)
        found: dict[str, float] = json.loads(done.stdout)
        return found


def main() -> int:
    """Print the figures; 1 where one is beyond its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replies", type=int, nargs=2, default=[2_000, 20_000])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", type=Path)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(measured(given.child)))
        return 0
    sizes = [one(number) for number in given.replies]
    growth = sizes[1]["peak_mb"] / sizes[0]["peak_mb"]
    if given.json:
        print(json.dumps({"sizes": sizes, "growth": growth}))
    else:
        for each in sizes:
            print(
                f"{each['replies']:>7,} replies  {each['cpu_ms']:.2f} ms CPU each  {each['peak_mb']:.0f} MB"
            )
        print(f"memory grows {growth:.2f} times")
    return int(growth > LIMIT_GROWTH or any(each["cpu_ms"] > LIMIT_MS for each in sizes))


if __name__ == "__main__":
    sys.exit(main())

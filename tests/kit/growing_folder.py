"""A run folder that a test fills row by row, as a run does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchwright.records import Answer, Isolation, Outcome, Score, SelfCheck, TaskId, Verdict
from benchwright.store.runfolder import RunFolder

IDENTITY = {"track": "humaneval", "data": "d" * 64, "profile": "strict", "n": 1, "model": {"name": "m"}}
PLANNED = {"answers": 4, "price_in": 1.0, "price_out": 2.0}


def answer(task: TaskId, sample: int = 0, **fields: Any) -> Answer:
    """Return an answer."""
    given = {"text": "    return x\n", "tokens_in": 100, "tokens_out": 10, **fields}
    return Answer(key=f"{task}-{sample}", task_id=task, sample=sample, model="m", **given)


def verdict(task: TaskId, sample: int = 0, outcome: str = "passed") -> Verdict:
    """Return a verdict."""
    return Verdict(
        key=f"v-{task}-{sample}",
        task_id=task,
        sample=sample,
        outcome=Outcome(outcome),
        isolation=Isolation.separated,
        profile="strict",
    )


class GrowingFolder:
    """The folder of a run that this process locks until it is ended."""

    def __init__(self, path: Path, **identity: Any) -> None:
        self.path = path
        manifest = {"identity": {**IDENTITY, **identity}, "model": "openai:m", "planned": PLANNED}
        self.folder = RunFolder.open(path, manifest, mode="either")

    def answers(self, *rows: Answer) -> None:
        """Add answers."""
        with self.folder.answer_writer() as writer:
            writer.append_all(rows)

    def verdicts(self, *rows: Verdict) -> None:
        """Add verdicts."""
        with self.folder.verdict_writer() as writer:
            writer.append_all(rows)

    def torn(self, name: str, data: bytes) -> None:
        """Add raw bytes to a file."""
        with (self.path / name).open("ab") as file:
            file.write(data)

    def end(self) -> None:
        """Release the folder, as a killed run does."""
        self.folder.close()

    def finish(self, tasks: list[TaskId]) -> None:
        """Sort the rows, write a score, and release the folder."""
        self.folder.finalize(lambda head: tasks.index(head.task_id))
        outcomes: dict[str, int] = {}
        for each in self.folder.verdicts():
            outcomes[each.outcome.value] = outcomes.get(each.outcome.value, 0) + 1
        score = Score(
            run="mine",
            track="humaneval",
            model="openai:m",
            profile="strict",
            metrics={},
            outcomes=outcomes,
            self_check=SelfCheck(gold_passed=1, gold_total=1, stub_passed=0, stub_total=1),
            answers=len(tasks),
        )
        self.folder.write_json("scores.json", score)
        self.folder.note(finished="2026-11-27T10:00:00.000+00:00")
        self.end()

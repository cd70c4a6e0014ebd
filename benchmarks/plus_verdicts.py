"""Do Benchwright and EvalPlus agree, on the canonical solutions of its tasks and on mutants of them?

    python -m benchmarks plus humaneval-plus mbpp-plus --mutants 2

Both sides judge the same whole programs, so how answers are read plays no part. EvalPlus runs in bubblewrap.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks import jail
from benchmarks.beside_peer import judged_by_ours, met, peer_folders
from benchmarks.dataset import write_lines
from benchmarks.environment import DRIVERS, FOLDER, PYTHON
from benchmarks.measure import measure
from benchwright.building.adequacy.trial_programs import chosen_mutants
from benchwright.contracts import Criterion, Job, Judgement
from benchwright.records import Task
from benchwright.store.data_files import files
from benchwright.tracks.evalplus.rows import gold_program
from benchwright.tracks.evalplus.track import TRACK

TOTAL_S = 7200.0
PASSED = {"ours": "passed", "theirs": "pass"}
CANONICAL = "none"


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A whole program for a task; `name` is the mutant's, or "none" for the canonical solution."""

    task_id: str
    name: str
    program: str


class Verdicts(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides' words for one set of inputs of one program."""

    task_id: str
    name: str
    inputs: str  # "base" or "plus"
    ours: str
    theirs: str
    detail: str = ""

    @property
    def agree(self) -> bool:
        """Whether both say that it passed, or both that it did not."""
        return (self.ours == PASSED["ours"]) == (self.theirs == PASSED["theirs"])


class PlusAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison: processor seconds of each side, cross tables, every difference."""

    data: str
    canonical: int
    mutants: int
    cpu_s: dict[str, float]
    crossed: dict[str, dict[str, int]]  # "base" or "plus" and their word, then how often which of ours
    differences: list[Verdicts]


def programs_of(tasks: Sequence[Task], *, per_task: int) -> list[Program]:
    """The canonical solution of each task and at most so many mutants of it, always the same."""
    found = []
    for task in tasks:
        gold = gold_program(task)
        mutants = [(each.name, each.code) for each in chosen_mutants(gold, per_task)]
        found += [
            Program(task_id=str(task.task_id), name=name, program=code)
            for name, code in [(CANONICAL, gold), *mutants]
        ]
    return found


def compare(data: str, *, per_task: int, limit: int | None = None) -> PlusAgreement:
    """Judge every program by both, and pair the words."""
    tasks = [task for task in TRACK.load(data) if not TRACK.refusal(task)][:limit]
    programs = programs_of(tasks, per_task=per_task)
    TRACK.prepare(tasks, note=lambda text: print(text, file=sys.stderr))
    before = _used()
    own = _ours(tasks, programs)
    seconds = _used() - before
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        theirs, their_seconds = _theirs(files(data)[0], programs, folder=Path(scratch))
    pairs = paired(programs, own, theirs)
    return PlusAgreement(
        data=data,
        canonical=len(tasks),
        mutants=len(programs) - len(tasks),
        cpu_s={"ours": round(seconds, 1), "theirs": round(their_seconds, 1)},
        crossed=crossed(pairs),
        differences=[each for each in pairs if not each.agree],
    )


def _used() -> float:
    """Processor seconds of this process and of all that it has waited for."""
    return sum(os.times()[:4])


def _ours(tasks: Sequence[Task], programs: Sequence[Program]) -> list[Judgement]:
    """A judgement of each."""
    criteria = {str(task.task_id): Criterion(TRACK.spec(task, profile="strict")) for task in tasks}
    jobs = [Job(number, each.program, criteria[each.task_id]) for number, each in enumerate(programs)]
    return judged_by_ours(jobs)


def _theirs(data: Path, programs: Sequence[Program], *, folder: Path) -> tuple[list[dict[str, str]], float]:
    writable, shown = peer_folders(folder)
    (shown / "data.jsonl").write_bytes(data.read_bytes())
    write_lines(shown / "programs.jsonl", programs)
    out = writable / "verdicts.jsonl"
    command = [
        *jail.jailed(writable, [str(FOLDER), str(DRIVERS), str(shown)]),
        *(str(PYTHON), str(DRIVERS / "plus_driver.py")),
        *(
            "--data",
            str(shown / "data.jsonl"),
            "--programs",
            str(shown / "programs.jsonl"),
            "--out",
            str(out),
        ),
    ]
    print(f"EvalPlus judges {len(programs)} programs in its jail", file=sys.stderr)
    used = measure(command, folder=folder, limit_s=TOTAL_S)
    rows = [msgspec.json.decode(line) for line in out.read_bytes().splitlines()]
    return rows, used.cpu_s


def paired(
    programs: Sequence[Program], own: Sequence[Judgement], theirs: Sequence[dict[str, str]]
) -> list[Verdicts]:
    """Both words for each set of inputs; a program that did not load has one outcome for both."""
    return [
        Verdicts(
            task_id=each.task_id,
            name=each.name,
            inputs=inputs,
            ours=judgement.parts.get(inputs, judgement.outcome).value,
            theirs=said[inputs],
            detail=judgement.detail[:160],
        )
        for each, judgement, said in zip(programs, own, theirs, strict=True)
        for inputs in ("base", "plus")
    ]


def crossed(pairs: Sequence[Verdicts]) -> dict[str, dict[str, int]]:
    """How often which word of ours met which of theirs."""
    return met((f"{each.inputs} {each.theirs}", each.ours) for each in pairs)


def parser() -> argparse.ArgumentParser:
    """The options of `./run bench plus`."""
    made = argparse.ArgumentParser(prog="./run bench plus", description=(__doc__ or "").partition("\n")[0])
    made.add_argument(
        "data", nargs="+", metavar="DATA", help="humaneval-plus, mbpp-plus, or a file of either"
    )
    made.add_argument("--mutants", type=int, default=2, metavar="N", help="of each task at most (2)")
    made.add_argument("--limit", type=int, metavar="N", help="only the first N tasks of each")
    return made

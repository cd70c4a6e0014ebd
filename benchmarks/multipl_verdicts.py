"""Does Benchwright judge Go and Java as MultiPL-E does, on solutions of our own, mutants of them and stubs?

    python -m benchmarks multipl multipl-humaneval-go multipl-mbpp-java --mutants 8

Both sides judge the same completions. MultiPL-E's commands run in bubblewrap.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from benchmarks import jail
from benchmarks.beside_peer import judged_by_ours, met, peer_folders
from benchmarks.dataset import write_lines
from benchmarks.environment import DRIVERS
from benchmarks.measure import measure
from benchwright.contracts import Criterion, Job, Judgement
from benchwright.judges.suites.go_toolchain import find_toolchain as find_go
from benchwright.judges.suites.java_toolchain import find_toolchain as find_java
from benchwright.judges.suites.java_toolchain import library_folder
from benchwright.judges.suites.libraries import entries
from benchwright.lang.source import mutants
from benchwright.records import Answer, Task
from benchwright.sandbox.environments import interpreter
from benchwright.tracks.multipl.track import TRACK, form_of

SOLUTIONS = Path(__file__).with_name("multipl_solutions.toml")
TOTAL_S = 7200.0
SOLVED, STUB = "none", "stub"
_ENDS = {"Go": "", "Java": "\n    }\n}\n"}  # after a completion, for a parser


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """What goes on from a task's prompt; `name` is the mutant's, "none" for a solution, "stub" for a stub."""

    task_id: str
    name: str
    lang: str
    completion: str
    program: str  # the one file that MultiPL-E executes


class Words(msgspec.Struct, frozen=True, kw_only=True):
    """Both sides' words for one completion."""

    task_id: str
    name: str
    ours: str
    theirs: str
    detail: str = ""
    said: str = ""

    @property
    def agree(self) -> bool:
        """Whether both say that it passed, or both that it did not."""
        return (self.ours == "passed") == (self.theirs == "OK")


class MultiplAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """The whole comparison: how often which word met which, and every difference.

    `cpu_s` are processor seconds of each side, ours without what workers and runners start.
    """

    data: str
    tasks: int
    completions: dict[str, int]  # solutions, stubs, mutants
    cpu_s: dict[str, float]
    crossed: dict[str, dict[str, int]]
    differences: list[Words]


def completions_of(tasks: Sequence[Task], *, per_task: int, stubs: int | None) -> list[Completion]:
    """The stub of each task, or of the first so many; where we have a solution, that and mutants of it."""
    solutions = tomllib.loads(SOLUTIONS.read_text(encoding="utf-8"))
    found = []
    for number, task in enumerate(tasks):
        named = {STUB: form_of(task).stub} if stubs is None or number < stubs else {}
        if solution := solutions[form_of(task).tag].get(str(task.task_id)):
            named[SOLVED] = solution
            named |= dict(list(_mutated(task, solution))[:per_task])
        found += [_completion(task, name, text) for name, text in named.items()]
    return found


def _completion(task: Task, name: str, text: str) -> Completion:
    program = f"{task.inputs['function']}{text}\n{task.inputs['tests']}"
    return Completion(
        task_id=str(task.task_id), name=name, lang=form_of(task).lang, completion=text, program=program
    )


def _mutated(task: Task, solution: str) -> Iterator[tuple[str, str]]:
    """Mutants that leave the prompt as it is, spread over the solution."""
    lang, prompt = form_of(task).lang, task.inputs["function"]
    all_of = [each for each in mutants(prompt + solution + _ENDS[lang], lang) if each.code.startswith(prompt)]
    for each in sorted(all_of, key=lambda mutant: hash_of(mutant.code)):
        yield each.name, each.code[len(prompt) :].removesuffix(_ENDS[lang])


def hash_of(code: str) -> int:
    """An order that has nothing to do with places in the text, and is the same each time."""
    from zlib import crc32  # noqa: PLC0415 (for this alone)

    return crc32(code.encode())


def compare(data: str, *, per_task: int, stubs: int | None = None) -> MultiplAgreement:
    """Judge every completion by both, and pair the words."""
    tasks = list(TRACK.load(data))
    given = completions_of(tasks, per_task=per_task, stubs=stubs)
    TRACK.prepare(tasks, note=lambda text: print(text, file=sys.stderr))
    own = _ours(tasks, given)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as scratch:
        theirs, their_seconds = _theirs(given, folder=Path(scratch))
    pairs = [
        Words(
            task_id=each.task_id,
            name=each.name,
            ours=judgement.outcome.value,
            theirs=said["word"],
            detail=judgement.detail[:200],
            said=said["said"][-200:],
        )
        for each, judgement, said in zip(given, own, theirs, strict=True)
    ]
    return MultiplAgreement(
        data=data,
        tasks=len(tasks),
        completions=dict(Counter(_kind(each) for each in given)),
        cpu_s={"ours": round(sum(each.cpu_s for each in own), 1), "theirs": round(their_seconds, 1)},
        crossed=crossed(pairs),
        differences=[each for each in pairs if not each.agree],
    )


def _kind(each: Completion) -> str:
    return {SOLVED: "solutions", STUB: "stubs"}.get(each.name, "mutants")


def crossed(pairs: Sequence[Words]) -> dict[str, dict[str, int]]:
    """How often which word of ours met which of theirs, stubs apart."""
    kinds = ("stub" if each.name == STUB else "program" for each in pairs)
    return met((f"{kind} {each.theirs}", each.ours) for kind, each in zip(kinds, pairs, strict=True))


def _ours(tasks: Sequence[Task], given: Sequence[Completion]) -> list[Judgement]:
    """A judgement of each, read by MultiPL-E's own rule from an answer that is the completion."""
    by_id = {str(task.task_id): task for task in tasks}
    criteria = {
        name: Criterion(TRACK.spec(task, profile="multipl-e"), task, "multipl-e")
        for name, task in by_id.items()
    }
    jobs = [
        Job(number, _answer(by_id[each.task_id], each), criteria[each.task_id])
        for number, each in enumerate(given)
    ]
    return judged_by_ours(jobs, track=TRACK.name)


def _answer(task: Task, each: Completion) -> Answer:
    return Answer(key=each.name, task_id=task.task_id, sample=0, model="solutions", text=each.completion)


def _theirs(given: Sequence[Completion], *, folder: Path) -> tuple[list[dict[str, str]], float]:
    writable, shown = peer_folders(folder)
    write_lines(shown / "programs.jsonl", given)
    out, cache = writable / "words.jsonl", writable / "cache"  # Go's build cache
    paths, options = _toolchains({each.lang for each in given})
    environment = {
        "GOCACHE": str(cache),
        "HOME": str(writable),
        "GOFLAGS": "-mod=mod",
        "GOTOOLCHAIN": "local",
    }
    command = [
        *jail.jailed(writable, [str(DRIVERS), str(shown), *paths], environment=environment),
        *(str(interpreter()), "-I", "-S", str(DRIVERS / "multipl_driver.py")),
        *("--programs", str(shown / "programs.jsonl"), "--out", str(out), *options),
    ]
    print(f"MultiPL-E's commands judge {len(given)} programs in their jail", file=sys.stderr)
    used = measure(command, folder=folder, limit_s=TOTAL_S)
    return [msgspec.json.decode(line) for line in out.read_bytes().splitlines()], used.cpu_s


def _toolchains(languages: set[str]) -> tuple[list[str], list[str]]:
    """What the jail must show of them, and how the driver is told."""
    paths, options = [], []
    if "Go" in languages:
        go = find_go()
        paths += [path for path, _ in go.binds]
        options += ["--go", go.go]
    if "Java" in languages:
        java = find_java()
        jar = str(entries(Path(library_folder(("javatuples",))), "Java")[0])
        paths += [java.jdk, *(path for path, _ in java.binds if path.startswith("/etc")), jar]
        options += ["--jdk", java.jdk, "--jar", jar]
    return paths, options


def parser() -> argparse.ArgumentParser:
    """The options of `./run bench multipl`."""
    made = argparse.ArgumentParser(prog="./run bench multipl", description=(__doc__ or "").partition("\n")[0])
    made.add_argument("data", nargs="+", metavar="DATA", help="such as multipl-mbpp-go, or a file of rows")
    made.add_argument("--mutants", type=int, default=8, metavar="N", help="of each solution at most (8)")
    made.add_argument("--stubs", type=int, metavar="N", help="only of the first N tasks")
    return made

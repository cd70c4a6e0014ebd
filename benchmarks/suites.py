"""What executing suites costs beside what people run instead, once for each pair.

    ./run bench suites                                  # Python, Java and Go, 20, 100 and 400 pairs
    ./run bench suites python --pairs 20 --repeats 1    # a quick look

Each language has a contest: its pairs, our runner and its peers. All are measured as whole process trees, in
turn within each round, so that a change of load meets all of them. A peer starts anew for each pair, so it is
measured on a few pairs for every size; once on three times as many, to see that a pair costs the same.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks import environment
from benchmarks.measure import measure
from benchmarks.rounds import pin_cpus
from benchmarks.suites_drive import OURS, contest_of
from benchmarks.suites_report import Report, Taken, compared, grown, steadied
from benchwright import __version__
from benchwright.errors import PrerequisiteError, UsageError

ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 1800.0
SIZES = (20, 100, 400)
LONGER = 3
# Without typing_extensions, as our workers start (`executing.worker_process`).
_START = """
import sys
sys.path[:0] = {path!r}
sys.modules["typing_extensions"] = None
from benchmarks.suites_drive import drive
del sys.modules["typing_extensions"]
drive(*sys.argv[1:])
"""
LANGUAGES = ("python", "java", "go")


def choose(names: Sequence[str]) -> list[str]:
    """The languages of these names, in the order of the table; all without a name."""
    wrong = [name for name in names if name not in LANGUAGES]
    if wrong:
        raise UsageError(f"no suites are measured in {wrong[0]!r}", hint=f"of {', '.join(LANGUAGES)}")
    return [name for name in LANGUAGES if not names or name in names]


def prepare(languages: Sequence[str]) -> dict[str, str]:
    """Make what is made once for a machine; why it cannot be, for each language whose toolchain is absent."""
    absent = {}
    for language in languages:
        print(f"{language}: preparing", file=sys.stderr)
        try:
            contest_of(language).prepare()
        except PrerequisiteError as error:
            absent[language] = f"{error.message} ({error.hint})" if error.hint else error.message
    return absent


def bench(
    languages: Sequence[str], sizes: Sequence[int], *, rounds: int, absent: Mapping[str, str]
) -> Report:
    """Measure the languages that are not absent."""
    machine, cpus = environment.describe(), pin_cpus()
    sizes, present = sorted(set(sizes)), [name for name in languages if name not in absent]
    taken, longer = list[Taken](), list[Taken]()
    for language in present:
        taken += _rounds(language, sizes, rounds)
        longer += _longer(language, max(sizes))
    return Report(
        machine=machine,
        versions={"benchwright": __version__} | _versions(present),
        rounds=rounds,
        cpus=cpus,
        absent=dict(absent),
        lines=[line for name in present for line in compared(name, contest_of(name), taken)],
        growth=[each for name in present for each in grown(name, taken)],
        steady=[each for name in present for each in steadied(name, contest_of(name), taken, longer)],
        runs=[*taken, *longer],
    )


def _versions(languages: Sequence[str]) -> dict[str, str]:
    found = dict[str, str]()
    for language in languages:
        runner = contest_of(language).runner()
        found |= {**runner.versions(), **contest_of(language).about()}
        runner.close()
    return found


def _rounds(language: str, sizes: Sequence[int], rounds: int) -> Iterator[Taken]:
    """All peers and ours at every size in each round; every second round in the opposite order."""
    contest = contest_of(language)
    for number in range(1, rounds + 1):
        for size in sizes:
            who = [*(peer.name for peer in contest.peers), OURS]
            for name in who if number % 2 else reversed(who):
                yield take(language, name, size, of=size if name == OURS else contest.sampled, number=number)


def _longer(language: str, largest: int) -> Iterator[Taken]:
    """Each peer once on three times as many pairs as the longest of its other runs."""
    contest = contest_of(language)
    count = min(contest.sampled, largest) * LONGER
    return (take(language, peer.name, count, of=count, number=0) for peer in contest.peers)


def take(language: str, who: str, size: int, *, of: int, number: int) -> Taken:
    """One measured run of a fresh process, on `of` pairs at most; interpreter start included."""
    start, pairs = _START.format(path=[str(ROOT), str(ROOT / "src")]), min(size, of)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", start, language, who, str(pairs)]
        usage = measure(command, folder=Path(folder), limit_s=LIMIT_S)
    spent = f"{usage.cpu_s:.2f} CPU-s, {usage.wall_s:.1f} s"
    print(f"round {number}: {language}, {who}: {pairs} pairs: {spent}", file=sys.stderr)
    return Taken(language=language, who=who, size=size, round=number, pairs=pairs, usage=usage)

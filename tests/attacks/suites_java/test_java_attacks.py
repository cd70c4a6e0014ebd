"""The hostile Java programs: none passes, nothing outlives one, and the next suite comes out as it must."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from java_attacks import ATTACKS, BAD, GOOD, PROGRAMS, TWICE, Attack, honest, hostile

from benchwright.contracts import SuiteReport, Variation
from benchwright.judges.suites.java import LIMITS, JavaSuites
from benchwright.judges.suites.java_toolchain import find_toolchain
from kit.needs import need_ready

# Both jails would double the time of these tests: the other one is tried by setting this.
JAIL = os.environ.get("BENCHWRIGHT_TEST_JAIL", "auto")
SMALL = msgspec.structs.replace(LIMITS, cpu_s=2.0, wall_s=10.0, memory_mb=768)


@pytest.fixture(scope="module")
def runner(jail: None) -> Iterator[JavaSuites]:
    need_ready(find_toolchain, "no Java suite can be run")
    with JavaSuites(limits=SMALL, compile_cpu_s=4.0, jail=JAIL) as suites:
        yield suites


# Those that attack the compiler are alone beside honest suites: what they spoil would be compiled again one by one.
COMPILED_ALONE = ("deep_expression", "generics_without_end", "source_of_one_huge_class")
TOGETHER = [attack for attack in ATTACKS if attack.name not in COMPILED_ALONE]
GROUPS = [
    *([attack] for attack in ATTACKS if attack.name in COMPILED_ALONE),
    *(TOGETHER[first : first + 7] for first in range(0, len(TOGETHER), 7)),
]


@pytest.mark.slow
@pytest.mark.parametrize("attacks", GROUPS, ids=lambda attacks: attacks[0].name)
def test_no_program_wins(runner: JavaSuites, attacks: list[Attack]) -> None:
    """A program ends as the table says, twice where it leaves marks; a bad and a good suite that are compiled
    with several and run after them come out as they must."""
    runs = [attack for attack in attacks for _ in range(2 if attack.name in TWICE else 1)]
    suites = [*map(hostile, runs), honest(BAD), honest(GOOD)]
    reports = dict(runner.run(enumerate(suites), variation=Variation()))
    ends = [_end(reports[number]) for number in range(len(suites))]
    wrong = [
        (attack.name, reports[number])
        for number, attack in enumerate(runs)
        if ends[number] not in attack.ends
    ]

    assert (wrong, ends[-2:], _left_behind()) == ([], ["failed assertion", "success"], [])


def _end(report: SuiteReport) -> str:
    return f"{report.state} {report.kind}".strip()


def _left_behind() -> list[str]:
    """Processes below this one that run a JVM: the sandbox is idle, so there may be none."""
    return [name for pid, name in _names().items() if name in ("java", "javac") and _is_below(pid)]


def _names() -> dict[int, str]:
    pids = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return {pid: text.strip() for pid in pids if (text := _read(pid, "comm"))}


def _is_below(pid: int) -> bool:
    while pid > 1:
        if pid == os.getpid():
            return True
        stat = _read(pid, "stat")
        pid = int(stat[stat.rfind(")") + 2 :].split()[1]) if stat else 0
    return False


def _read(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def test_every_program_has_its_row() -> None:
    """The table and the folder name the same programs, at least thirty."""
    files = sorted(path.stem for path in PROGRAMS.glob("*.java"))

    assert (sorted(attack.name for attack in ATTACKS), True) == (files, len(files) >= 30)


def test_no_row_allows_a_pass() -> None:
    """Neither "success" nor a failure of the sandbox is an end that a row may name."""
    ends = {end.split()[0] for attack in ATTACKS for end in attack.ends}

    assert {"failed", "tampered"} == ends

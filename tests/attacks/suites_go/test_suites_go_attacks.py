"""Hostile Go suites: none is a success, none outlives its run, and the suites beside them are judged as ever."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.contracts import Variation
from benchwright.judges.suites.go import GoSuites
from kit.go_needs import go_runner
from kit.go_samples import MODULE, SAMPLES, suite
from kit.processes import command_of, descendants, wait_until

# Both jails would double the time of these tests: the other one is tried by setting this.
JAIL = os.environ.get("BENCHWRIGHT_TEST_JAIL", "auto")
pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.slow]
PROGRAMS = sorted(Path(__file__).parent.glob("*.go"), key=lambda path: path.name)
# What the reader of sources refuses: nothing of these is built, so they are tried in one batch.
REFUSED = [path for path in PROGRAMS if "f18" <= path.stem[:3] <= "f33"]
BUILT = [path for path in PROGRAMS if path not in REFUSED]
# To link a program costs as much as to compile six suites.
GROUPS = [BUILT[first : first + 8] for first in range(0, len(BUILT), 8)]
CUT = "// -- test --\n"
TODAY = MODULE.replace("1.19", "1.22")  # in whose language min, max and clear are Go's own
HONEST = """package shop

import "testing"

func TestTotal(t *testing.T) {
	if got := Total([]int{1, 2}); got != 3 {
		t.Fatal(got)
	}
}
"""
# What a program must be called, where the name matters; all others may be anything but a success.
NAMED = {
    "f05_linkname_into_testing": ("tampered", ""),
    "f08_unsafe_write_clears_failed": ("tampered", ""),
    "f12_truth_of_its_own": ("tampered", ""),
    "f07_cgo": ("failed", "environment"),
    "f09_prints_passes": ("failed", "assertion"),
    "f13_package_named_testing": ("failed", "compile"),
    "f17_init_calls_the_entry": ("failed", "import"),
    "r01_endless_loop": ("failed", "timeout"),
    "e02_embeds_a_host_file": ("failed", "compile"),
    "i01_leaves_marks": ("failed", "assertion"),
}
TWICE = ("i01_leaves_marks",)  # it is the second run that would find the marks of the first


@pytest.fixture(scope="module")
def runner() -> Iterator[GoSuites]:
    """One runner for all programs, as in a real run."""
    with go_runner(jail=JAIL) as opened:
        yield opened


def attack(path: Path) -> object:
    """The suite of a program."""
    focal, _, test = path.read_text().partition(CUT)
    return suite(test or HONEST, focal=focal, module=TODAY)


@pytest.mark.parametrize("paths", GROUPS, ids=lambda paths: paths[0].stem)
def test_attacks(runner: GoSuites, paths: list[Path]) -> None:
    """Programs between a good and a bad suite, in one batch where they may share one: no success, the neighbours
    as ever, no process left, nothing written outside."""
    given = [path for path in paths for _ in range(2 if path.stem in TWICE else 1)]
    suites = [SAMPLES["passes"][0], *map(attack, given), SAMPLES["wrong"][0]]
    found = dict(runner.run(enumerate(suites), variation=Variation()))  # type: ignore[arg-type]
    good, *hostile, bad = (found[number] for number in range(len(suites)))
    left = {pid for pid in descendants(os.getpid()) if "/programs/" in command_of(pid)}
    wrong = [
        (path.stem, report)
        for path, report in zip(given, hostile, strict=True)
        if report.state not in ("failed", "tampered")
        or (report.state, report.kind) != NAMED.get(path.stem, (report.state, report.kind))
        or "root:" in report.detail  # no line of a host file comes back in a compile error
    ]

    assert wrong == []
    assert (good.state, bad.state, bad.kind) == ("success", "failed", "assertion")
    assert wait_until(lambda: not left & descendants(os.getpid())), left
    assert not os.path.exists("/tmp/benchwright-generated")


def test_programs_that_are_not_built(runner: GoSuites) -> None:
    """Each is tampering, and the suites before and after them are judged as ever."""
    suites = [SAMPLES["passes"][0], *map(attack, REFUSED), SAMPLES["wrong"][0]]
    reports = dict(runner.run(enumerate(suites), variation=Variation()))  # type: ignore[arg-type]
    ends = {path.stem: reports[number].state for number, path in enumerate(REFUSED, start=1)}

    assert ends == {path.stem: "tampered" for path in REFUSED}
    assert (reports[0].state, reports[len(suites) - 1].kind) == ("success", "assertion")


def test_there_are_programs() -> None:
    """The list is not empty by mistake."""

    assert len(PROGRAMS) >= 20

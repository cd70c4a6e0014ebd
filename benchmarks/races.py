"""How many of twenty planted races are found: by executions that are plain, and by those that are pressed.

    ./run bench races                   # each race by plain tools, by 5 and by 20 executions of the sandbox
    ./run bench races --plain 60        # how often each fails under pytest, go test and JUnit's own launcher

The rates hang on the machine and on what else it does; a race that never fails by plain tools on a quiet one
is still a race.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.race_pairs import GO, JAVA, PYTHON, RACES, Race
from benchwright.building.codecorrectness.label_executions import (
    consensus_of,
    flakiness_verdict,
    may_be_flaky,
)
from benchwright.building.codecorrectness.row_records import suite_of_paths
from benchwright.contracts import Suite
from benchwright.executing.suite_ledger import Ledger, RowSuite, execute
from benchwright.executing.suite_runners import Runners
from benchwright.judges.suites.go_toolchain import find_toolchain as find_go
from benchwright.judges.suites.java_toolchain import find_toolchain as find_java
from benchwright.lang.source import tags
from benchwright.progress import Silent

ROUND_S = 300.0
_PYTEST = re.compile(r"^FAILED test_(\w+)\.py", re.MULTILINE)
_GO = re.compile(r"^--- FAIL: Test(\w+)", re.MULTILINE)
_LAUNCHER = """import org.junit.platform.launcher.*;
import org.junit.platform.launcher.core.*;
import org.junit.platform.engine.*;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

public class Plain {
    public static void main(String[] names) {
        for (String name : names) {
            LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectClass(name + "Test")).build();
            LauncherFactory.create().execute(request, new TestExecutionListener() {
                public void executionFinished(TestIdentifier id, TestExecutionResult result) {
                    boolean failed = result.getStatus() == TestExecutionResult.Status.FAILED;
                    if (id.isTest() && failed) System.out.println("FAILED " + name);
                }
            });
        }
        System.exit(0);
    }
}
"""


def found(most: int) -> dict[str, bool]:
    """Which races `most` executions show, as a build makes them: five plain ones, the rest pressed."""
    jobs = [RowSuite(each.name, suite_of(each)) for each in RACES]
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger(Path(folder, "e.jsonl")) as ledger,
        Runners() as runners,
    ):
        done = execute(jobs, ledger, runners, repeat=5, watch=Silent())
        if most > 5:
            done = flakiness_verdict(jobs, done, ledger, runners, most=most, watch=Silent())
    return {name: consensus_of(executions).state == "flaky" for name, executions in done.items()}


def suite_of(race: Race) -> Suite:
    """The race as a project."""
    focal, test = race.paths
    return suite_of_paths(race.focal, race.test, race.lang, focal_path=focal, test_path=test)


def is_tagged(race: Race) -> bool:
    """Whether a build would try it twenty times."""
    told = tags(race.focal, race.test, race.lang)
    return may_be_flaky((*told["focal_uses"], *told["test_uses"]))


def plain(rounds: int) -> dict[str, float]:
    """The part of runs in which each race fails, by the languages' own tools and nothing of ours.

    The races are of our making, so they run outside of the sandbox here.
    """
    failed: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for round_ in (_python_rounds, _go_rounds, _java_rounds):
            for names in round_(Path(folder), rounds):
                failed.update(names)
    return {each.name: failed[each.name] / rounds for each in RACES}


def _lay_out(folder: Path, races: tuple[Race, ...]) -> Path:
    folder.mkdir()
    for each in races:
        for path, text in zip(each.paths, (each.focal, each.test), strict=True):
            (folder / path).write_text(text)
    return folder


def _python_rounds(folder: Path, rounds: int) -> Iterator[list[str]]:
    place = _lay_out(folder / "python", PYTHON)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "--tb=no", "."]
    for _ in range(rounds):
        yield _PYTEST.findall(_output(argv, place))


def _go_rounds(folder: Path, rounds: int) -> Iterator[list[str]]:
    place, go = _lay_out(folder / "go", GO), find_go().go
    (place / "go.mod").write_text("module races\n\ngo 1.22\n")
    environment = {"GOCACHE": str(folder / "cache"), "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    _output([go, "test", "-vet=off", "-c", "-o", "races.test"], place, environment)
    names = {each.name.title().replace("_", ""): each.name for each in GO}
    for _ in range(rounds):
        yield [names[name] for name in _GO.findall(_output(["./races.test"], place))]


def _java_rounds(folder: Path, rounds: int) -> Iterator[list[str]]:
    place, java = _lay_out(folder / "java", JAVA), find_java()
    (place / "Plain.java").write_text(_LAUNCHER)
    path = ":".join([*java.jars, "."])
    sources = sorted(each.name for each in place.glob("*.java"))
    _output([f"{java.jdk}/bin/javac", "-cp", path, *sources], place)
    names = {each.paths[0].removesuffix(".java"): each.name for each in JAVA}
    argv = [f"{java.jdk}/bin/java", "-cp", path, "Plain", *names]
    for _ in range(rounds):
        said = _output(argv, place)
        yield [names[line.split()[1]] for line in said.splitlines() if line.startswith("FAILED ")]


def _output(argv: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        argv,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=ROUND_S,
        check=False,
    )
    return done.stdout.decode("utf-8", "replace")


def main(arguments: Sequence[str]) -> int:
    """Print how often each race fails by plain tools, and whether executions have shown it; the exit code."""
    rounds = int(arguments[arguments.index("--plain") + 1]) if "--plain" in arguments else 30
    rates = plain(rounds)
    few, many = ({}, {}) if "--plain" in arguments else (found(5), found(20))
    for each in RACES:
        said = [f"{mode} {known[each.name]}" for mode, known in (("5", few), ("20", many)) if known]
        tagged = "tagged" if is_tagged(each) else "NOT tagged"
        sys.stdout.write(f"{each.lang:7} {each.name:14} {rates[each.name]:6.1%} {tagged} {' '.join(said)}\n")
    if many:
        sys.stdout.write(f"found: {sum(few.values())} by 5, {sum(many.values())} by 20, of {len(RACES)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Java suites in the sandbox: each pair comes out as it must, alone and among others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import pytest

from benchwright.contracts import Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.judges.suites import java, java_compiling
from benchwright.judges.suites.java import LIMITS, JavaSuites
from benchwright.judges.suites.java_compiling import CompiledSuite
from benchwright.judges.suites.java_toolchain import find_toolchain
from kit.java_pairs import ADDS, PAIRS, Pair, four, jupiter
from kit.needs import need_ready

FAST = msgspec.structs.replace(LIMITS, cpu_s=2.0)


@pytest.fixture(scope="module")
def runner(jail: None) -> Iterator[JavaSuites]:
    need_ready(find_toolchain, "no Java suite can be run")
    with JavaSuites(limits=FAST, compile_cpu_s=5.0) as suites:
        yield suites


@pytest.fixture(scope="module")
def reports(runner: JavaSuites) -> dict[str, SuiteReport]:
    numbered = ((number, pair.suite) for number, pair in enumerate(PAIRS))
    return {PAIRS[number].name: report for number, report in runner.run(numbered, variation=Variation())}


def run_one(runner: JavaSuites, suite: Suite, **variation: object) -> SuiteReport:
    """The report on one suite."""
    [(_, report)] = runner.run([(7, suite)], variation=Variation(**variation))  # type: ignore[arg-type]
    return report


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_each_pair(reports: dict[str, SuiteReport], pair: Pair) -> None:
    """State, kind and reason are those of the table, whatever stood beside it in the batch."""
    report = reports[pair.name]

    assert (pair.state, pair.kind, True) == (report.state, report.kind, pair.detail in report.detail), report


@pytest.mark.slow
def test_only_equality_of_its_own_is_remarked(reports: dict[str, SuiteReport]) -> None:
    """No other success has a remark."""
    remarked = [name for name, report in reports.items() if report.state == "success" and report.detail]

    assert remarked == ["equals of anything", "a set that says it holds two"]


@pytest.mark.slow
def test_cases_by_name(reports: dict[str, SuiteReport]) -> None:
    """A case that passed before another looped is told as passed; the one that looped as a timeout."""
    told = [(case.name, case.state, case.kind) for case in reports["loop"].cases]

    assert told == [("CartTest#adds", "passed", ""), ("CartTest#loops", "failed", "timeout")]


@pytest.mark.slow
def test_a_disabled_case(reports: dict[str, SuiteReport]) -> None:
    """A disabled case is told as skipped."""
    told = {case.name: case.state for case in reports["disabled beside another"].cases}

    assert told == {"CartTest#adds": "passed", "CartTest#later": "skipped"}


@pytest.mark.slow
def test_what_an_execution_took(reports: dict[str, SuiteReport]) -> None:
    """Reports hold the toolchain's versions and the time of compiling and running."""
    report = reports["five passes"]

    assert ({"java", "junit5", "junit4"}, True) == (set(report.versions), 0.05 < report.cpu_s < 10)


@pytest.mark.slow
def test_time_zone(runner: JavaSuites) -> None:
    """The variation's time zone is the JVM's."""
    body = '@Test void zone() { assertEquals("Asia/Tokyo", TimeZone.getDefault().getID()); }'
    states = [run_one(runner, jupiter(body, "zone"), timezone=zone).state for zone in ("Asia/Tokyo", "UTC")]

    assert states == ["success", "failed"]


@pytest.mark.slow
@pytest.mark.parametrize("framework", ["junit5", "junit4"])
def test_order_of_the_tests(runner: JavaSuites, framework: str) -> None:
    """Some seeds bring the tests in another order, and the same seed always in the same."""
    public = "public " if framework == "junit4" else ""
    body = "static int seen = 0;\n"
    body += f"@Test {public}void first() {{ assertEquals(0, seen++); }}\n"
    body += f"@Test {public}void second() {{ assertEquals(1, seen++); }}\n"
    suite = (four if framework == "junit4" else jupiter)(body, "first", "second")
    seeds = [1, 2, 3, 1, 2, 3]
    states = [run_one(runner, suite, order_seed=seed).state for seed in seeds]

    assert (states[:3], {"success", "failed"}) == (states[3:], set(states))


@pytest.mark.slow
def test_a_clock_shift_is_not_made(runner: JavaSuites) -> None:
    """The report says that the clock was left as it is."""
    report = run_one(runner, jupiter(ADDS, "adds"), clock_shift_s=3600)

    assert (report.state, report.detail) == ("success", "the clock was not shifted")


@pytest.mark.slow
def test_a_case_that_does_not_exist(runner: JavaSuites) -> None:
    """A report without one of the expected cases is not believed."""
    report = run_one(runner, jupiter(ADDS, "adds", "gone"))

    assert (report.state, "CartTest#gone" in report.detail) == ("tampered", True)


@pytest.mark.slow
def test_a_suite_that_kills_the_compiler(runner: JavaSuites, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the compiler dies without a word, the suite at fault is found; the others are compiled."""
    original = java_compiling.run_command

    def dying(
        box: object, command: java_compiling.Command, **options: object
    ) -> java_compiling.CommandResult:
        ran = original(box, command, **options)  # type: ignore[arg-type]
        hostile = any(b"KILLS" in content for content in command.files.values())
        return ran._replace(files={}, status=-9, detail="killed") if hostile else ran

    monkeypatch.setattr(java_compiling, "run_command", dying)
    suites = [jupiter(ADDS + (" // KILLS" if number == 1 else ""), "adds") for number in range(3)]
    told = dict(runner.run(enumerate(suites), variation=Variation()))

    assert (
        [told[number].state for number in range(3)],
        told[1].kind,
    ) == (["success", "failed", "success"], "compile")


def test_an_unknown_framework(runner: JavaSuites) -> None:
    """Refused with the names of those that are known."""
    suite = msgspec.structs.replace(jupiter(ADDS, "adds"), framework="testng")

    with pytest.raises(UsageError, match="testng"):
        list(runner.run([(0, suite)], variation=Variation()))


def test_without_a_toolchain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports have the state "absent" with what to install; asking for versions raises."""

    def find() -> None:
        raise PrerequisiteError("no JDK", hint="apt-get install it")

    monkeypatch.setattr(java, "find_toolchain", find)
    with JavaSuites() as suites:
        [(_, report)] = suites.run([(0, jupiter(ADDS, "adds"))], variation=Variation())
        with pytest.raises(PrerequisiteError):
            suites.versions()

    assert (report.state, report.detail) == ("absent", "no JDK\nhint: apt-get install it")


def test_a_suite_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several suites in one JVM are compiled each time: one could have changed the classes of another."""
    made: list[int] = []

    def compile_all(
        box: object, tools: object, given: Mapping[int, Suite], **_: float
    ) -> dict[int, CompiledSuite]:
        made.append(len(given))
        return dict.fromkeys(given, CompiledSuite(classes={"T.class": b"x"}, cpu_s=1.0))

    monkeypatch.setattr(java, "compile_all", compile_all)
    suite = jupiter(ADDS, "adds")
    with JavaSuites() as suites:
        found = [
            suites._compiled(None, None, dict.fromkeys(given, suite)) for given in ([1, 2], [3], [4], [5, 6])
        ]  # type: ignore[arg-type]

    assert made == [2, 1, 2]
    assert [sorted(each) for each in found] == [[1, 2], [3], [4], [5, 6]]

"""The passes of `.ci/run`: each test runs once, without the optional programs if it passes without them.

The first pass hides the optional programs and writes the ids of passed and of skipped tests to a file
(`--passed-to FILE`). At the same time another process runs, with all programs, the tests that are known to need
them (`--needing-programs`): they wait more than they compute. At the end the remaining tests run, which are all
except the passed ones (`--all-but FILE`, once for each record). Test files in which no test was skipped are then not
imported. The list of tests that need programs decides only what runs at the same time, not whether a test runs.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from kit.seconds import file_of

# The sandbox uses bubblewrap if it is installed, so files that open one run with it and without it (first pass).
# Their tests with the parameter "native" use the same sandbox in both passes, so they run once.
IN_BOTH = tuple(
    f"tests/sandbox/test_{name}.py"
    for name in (
        *(
            "box",
            "commands",
            "compiled_loop",
            "gathering",
            "input_files",
            "jail",
            "launcher",
            "library_profiles",
        ),
        *("probes", "procfs", "rehearsal", "serving", "sleeping", "text_pages", "zygote", "zygote_object"),
    )
)
_NATIVE = re.compile(r"[\[-]native[\]-]")
# Prefixes of the ids of tests that are skipped without the optional programs; at least of the slow ones.
NEED_PROGRAMS = (
    *IN_BOTH,
    "tests/attacks/multipl_oracles/",
    "tests/attacks/suites_go/",
    "tests/attacks/suites_java/",
    "tests/attacks/suites_python/test_hostile_python_suites.py::test_hostile_suites[bubblewrap",
    "tests/attacks/test_attacks.py::test_no_program_wins[bubblewrap",
    "tests/benchmarks/test_bench_commands.py",
    "tests/benchmarks/test_bench_plain_labels.py",
    "tests/browser/",
    "tests/building/codecorrectness/test_label_sampling.py::test_a_java_class",
    "tests/docs/test_docs_site.py::test_a_search",
    "tests/e2e/test_build_and_verify.py",
    "tests/e2e/test_repairing_compiled_answers.py",
    "tests/judges/programs/",
    "tests/judges/repositories/test_repository_judge.py::test_java",
    "tests/judges/suites/test_answer_judges.py",
    "tests/judges/suites/test_go_suites.py",
    "tests/judges/suites/test_java_running.py",
    "tests/judges/suites/test_java_suites.py",
    "tests/judges/suites/test_projects.py::test_java",
    "tests/judges/suites/test_reentry_guards.py",
    "tests/judges/suites/test_suite_answers.py",
    "tests/judges/written_tests/",
    "tests/text/test_extract_humaneval.py",
    "tests/tracks/javatestgen/",
    "tests/tracks/multipl/test_multipl_track.py",
    "tests/web/",
)
# Of these files only the tests with the PostgreSQL server; those with SQLite are in the first pass.
SERVER_FILES, SERVER_ID = "tests/web/", "[postgresql"
NEED_FILES = tuple(each.partition("::")[0] for each in NEED_PROGRAMS)


class PassedTests:
    """Record the result of each test and write it at the end."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.passed: set[str] = set()
        self.skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Record a phase of a test. An expected failure counts as passed."""
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.add(report.nodeid)
        elif report.when == "call" and not report.failed:
            self.passed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the record."""
        record = {
            "all_programs": os.environ.get("BENCHWRIGHT_REQUIRE_ALL") == "1",
            "passed": sorted(self.passed),
            "skipped": sorted(self.skipped),
        }
        self._path.write_text(json.dumps(record, indent=0))


class RemainingTests:
    """Deselect the tests that passed in earlier passes."""

    def __init__(self, paths: list[Path], root: Path) -> None:
        self.passed: set[str] = set()
        left: set[str] = set()
        for path in paths:
            try:
                record = json.loads(path.read_text())
            except (OSError, ValueError) as error:
                raise pytest.UsageError(f"--all-but {path}: {error}") from error
            again = set() if record["all_programs"] else set(filter(_is_in_both, record["passed"]))
            self.passed |= set(record["passed"]) - again
            left |= set(record["skipped"]) | again
        files = {file_of(each) for each in self.passed} - {file_of(each) for each in left - self.passed}
        self.done_files = {root / each for each in files}

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore files in which every test passed."""
        return True if collection_path in self.done_files else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Deselect passed tests."""
        items[:] = [item for item in items if item.nodeid not in self.passed]


class TestsNeedingPrograms:
    """Select the tests that are listed as needing optional programs."""

    __test__ = False

    def __init__(self, root: Path) -> None:
        self._root = root

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignore files without such tests."""
        path = collection_path.relative_to(self._root).as_posix()
        wanted = path.startswith(NEED_FILES)
        return True if collection_path.suffix == ".py" and not wanted else None

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Deselect the other tests of a file."""
        items[:] = [item for item in items if needs_programs(item.nodeid)]


def _is_in_both(nodeid: str) -> bool:
    """Whether a test runs with and without the optional programs: its sandbox is the default one."""
    return nodeid.startswith(IN_BOTH) and not _NATIVE.search(nodeid)


def needs_programs(nodeid: str) -> bool:
    """Whether a test is listed as needing optional programs."""
    listed = nodeid.startswith(NEED_PROGRAMS) and (not nodeid.startswith(IN_BOTH) or _is_in_both(nodeid))
    return listed and (SERVER_ID in nodeid or not nodeid.startswith(SERVER_FILES))


def add_options(parser: pytest.Parser) -> None:
    """Add the options of the passes."""
    parser.addoption("--passed-to", metavar="FILE", help="write which tests passed and which were skipped")
    parser.addoption(
        "--needing-programs", action="store_true", help="run only tests that are listed as needing programs"
    )
    parser.addoption(
        "--all-but",
        metavar="FILE",
        action="append",
        help="leave out the tests that passed according to this file",
    )


def register(config: pytest.Config) -> None:
    """Register the plugins that the options request."""
    if (path := config.getoption("--passed-to")) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(PassedTests(Path(path)), "passed-tests")
    if paths := config.getoption("--all-but"):
        config.pluginmanager.register(
            RemainingTests(list(map(Path, paths)), config.rootpath), "remaining-tests"
        )
    if config.getoption("--needing-programs"):
        config.pluginmanager.register(TestsNeedingPrograms(config.rootpath), "tests-needing-programs")

"""Tests of a C or C++ repository, built and run by the commands that the user supplies with the clone.

Tests and answer share a process, so what they print and their exit status are claims. Three things can be
trusted: the files before the build, which come from the clone; the limits and the isolation of the jail; and
what a second run says in which one test was edited so that it must fail. Code that makes all tests pass makes
that one pass as well, and the answer is tampered. The names of tests come from the run on the unchanged file.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchwright.contracts import MakeTests, RepositorySpec
from benchwright.display.escape import escaped_start
from benchwright.errors import PrerequisiteError
from benchwright.judges.judge_registry import Resources
from benchwright.judges.programs.runner import BUILD
from benchwright.judges.programs.toolchain import environment, system_binds
from benchwright.judges.reasons import DETAIL_LIMIT
from benchwright.judges.repositories.suite_tests import TestsRun, UnknownTests
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, CommandResult, run_command

_NOT_BUILT = 97  # exit status of a failed build
_TOOLS = ("sh", "make")
_COMPILERS = {"C": ("gcc", "cc", "clang"), "C++": ("g++", "c++", "clang++")}
_SHOWN = 300  # characters of an output


class MakeRunner:
    """Runs the commands of repositories in a separate sandbox, opened on first use."""

    def __init__(self, resources: Resources) -> None:
        self._closing = resources.closing
        self._opened: Sandbox | None = None

    def check(self, lang: str) -> None:
        """Raise PrerequisiteError if the shell, make or a compiler is not installed."""
        for names in (*((tool,) for tool in _TOOLS), _COMPILERS[lang]):
            if not any(map(shutil.which, names)):
                what = f"{names[0]} is not installed, which repositories in {lang} need"
                raise PrerequisiteError(what, hint="apt-get install build-essential")

    def run(
        self, spec: RepositorySpec, files: Mapping[str, bytes], focal: str, *, known: frozenset[str] | None
    ) -> TestsRun:
        """Build and test a checkout with `focal` as the text of its file; `known`: tests that must pass.

        None stands for all tests that the run reports. Raises UnknownTests for a canary that does not fit,
        and SandboxError.
        """
        make = spec.make
        assert make is not None
        placed = {**files, spec.path: focal.encode("utf-8", "surrogatepass")}
        result = self._command(make, placed)
        found = _claimed(make, result, known)
        if found.outcome is not Outcome.passed or make.canary is None:
            return found
        edited = self._command(make, _with_canary(make, placed, files))
        why = _canary_fault(make, edited)
        cpu_s, wall_s = result.usage.cpu_s + edited.usage.cpu_s, result.usage.wall_s + edited.usage.wall_s
        if why:
            return TestsRun(outcome=Outcome.tampered, detail=why, cpu_s=cpu_s, wall_s=wall_s)
        return TestsRun(passed=found.passed, cpu_s=cpu_s, wall_s=wall_s)

    def _command(self, make: MakeTests, files: Mapping[str, bytes]) -> CommandResult:
        shell = Path(shutil.which("sh") or "/bin/sh").resolve()
        line = f"{{ {make.build or ':'}\n}} || exit {_NOT_BUILT}\n{make.test}"
        env = {"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8"}
        command = Command(argv=(str(shell), "-c", line), files=dict(files), env=env)
        seen = environment("make", (*system_binds(shell), *_links()), runtime=True, open_files=1024)
        return run_command(self._box(), command, environment=seen)

    def _box(self) -> Sandbox:
        if self._opened is None:
            self._opened = Sandbox(limits=BUILD)
            self._closing.callback(self._opened.close)
        return self._opened


def _links() -> list[tuple[str, str]]:
    """Places that make and compilers expect: /bin for its shell, /etc/alternatives behind `cc`."""
    places = {"/bin": "/usr/bin", "/etc/alternatives": "/etc/alternatives"}
    return [(source, place) for place, source in places.items() if Path(source).is_dir()]


def _claimed(make: MakeTests, result: CommandResult, known: frozenset[str] | None) -> TestsRun:
    """Return the claim of a run: passed if its status is 0 and it reports each known test once, as passed."""
    output = result.output.decode("utf-8", "replace")
    states = _states(make, output)
    repeated_names = [name for name, count in Counter(name for name, _ in states).items() if count > 1]
    passed = frozenset(name for name, state in states if state in make.passed)
    outcome, detail = Outcome.passed, ""
    expected = frozenset(name for name, _ in states) if known is None else known
    if result.status == _NOT_BUILT:
        outcome, detail = Outcome.syntax_error, f"the build failed: {_end(output)}"
    elif result.status is None:
        outcome, detail = result.outcome, result.detail
    elif repeated_names:
        outcome, detail = Outcome.tampered, f"{repeated_names[0]}: reported twice"
    elif unknown := sorted({name for name, _ in states} - expected):
        outcome, detail = Outcome.tampered, f"{unknown[0]}: a test that the repository does not report"
    elif failed := sorted(expected - passed):
        outcome, detail = Outcome.wrong, f"{failed[0]}: not passed"
    elif result.status:
        outcome, detail = Outcome.wrong, f"the tests ended with status {result.status}: {_end(output)}"
    elif make.reported and not expected:
        outcome, detail = Outcome.wrong, "no test was reported"
    return TestsRun(
        passed=passed, outcome=outcome, detail=detail, cpu_s=result.usage.cpu_s, wall_s=result.usage.wall_s
    )


def _states(make: MakeTests, output: str) -> list[tuple[str, str]]:
    """Name and state of each reported test, in order."""
    if not make.reported:
        return []
    return [(match["name"], match["state"]) for match in re.finditer(make.reported, output, re.MULTILINE)]


def _with_canary(
    make: MakeTests, placed: Mapping[str, bytes], files: Mapping[str, bytes]
) -> dict[str, bytes]:
    canary = make.canary
    assert canary is not None
    text, find = files.get(canary.path, b""), canary.find.encode()
    if text.count(find) != 1:
        raise UnknownTests(f"the canary's text occurs {text.count(find)} times in {canary.path}, not once")
    return {**placed, canary.path: text.replace(find, canary.replace.encode())}


def _canary_fault(make: MakeTests, edited: CommandResult) -> str:
    """Why the run with a test that must fail cannot be believed; empty if that test failed."""
    assert make.canary is not None
    states = dict(_states(make, edited.output.decode("utf-8", "replace")))
    if states.get(make.canary.test) in make.passed:
        return f"{make.canary.test}: a test that must fail was reported as passed"
    return "" if edited.status else "the tests ended with status 0 although one of them must fail"


def _end(output: str) -> str:
    return escaped_start(output.strip()[-_SHOWN:], DETAIL_LIMIT)

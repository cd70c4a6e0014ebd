"""Runners that execute nothing: a remark in the focal file determines the end of a suite.

`needs: a + b` on a line: the test passes if the words are elsewhere in the code. `ends: flaky`, `ends:
environment` and others: it always ends in this way. `ends: raced`: it fails in one of the variations with
scheduling pressure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import pytest

from benchwright.contracts import CaseReport, Suite, SuiteReport, SuiteRunner, Variation
from benchwright.errors import PrerequisiteError
from benchwright.executing.suite_runners import Runners, runner_for

_ENDS = {
    "success": ("success", ""),
    "assertion": ("failed", "assertion"),
    "exception": ("failed", "exception"),
    "timeout": ("failed", "timeout"),
    "import": ("failed", "import"),
    "compile": ("failed", "compile"),
    "environment": ("failed", "environment"),
    "tampered": ("tampered", ""),
    "sandbox_error": ("sandbox_error", ""),
    "strange": ("strange", ""),
}


class FakeSuites:
    """A runner of one language. `executed` records executions of all runners; tests clear it."""

    lang, batch = "Python", 1
    executed: list[tuple[str, int]] = []  # focal code, number of the variation
    closed = 0
    stop_after: int | None = None  # number of executions after which the machine is "switched off"

    def versions(self) -> Mapping[str, str]:
        """Return one version, in place of a toolchain's."""
        return {self.lang.lower(): "1.0"}

    def prepare(self) -> None:
        """Do nothing."""

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """Yield reports in reverse order, because any order is allowed; none for `ends: lost`."""
        for number, suite in reversed(list(suites)):
            if FakeSuites.stop_after is not None and len(FakeSuites.executed) >= FakeSuites.stop_after:
                raise KeyboardInterrupt
            code = suite.files[suite.focal]
            FakeSuites.executed.append((code, variation.number))
            end = _end(code, variation)
            if end != "lost":
                yield number, _report(suite, *_ENDS[end])

    def close(self) -> None:
        """Count the call."""
        FakeSuites.closed += 1


class FakeJava(FakeSuites):
    """The same runner for Java."""

    lang = "Java"


class FakeGo(FakeSuites):
    """A runner for Go whose toolchain is missing."""

    lang = "Go"

    def versions(self) -> Mapping[str, str]:
        """Return no versions."""
        raise PrerequisiteError("there is no Go", hint="apt-get install golang-go")


def use_fakes(patch: pytest.MonkeyPatch, *fakes: type[FakeSuites]) -> None:
    """Replace all runners of commands in this process by these."""
    known = {fake.lang: fake for fake in fakes}

    def make(runners: Runners, lang: str) -> SuiteRunner:
        return known[lang]() if lang in known else runner_for(f"(no) {lang}")

    patch.setattr(Runners, "_spread", make)


def _end(code: str, variation: Variation) -> str:
    if (forced := re.search(r"ends: (\w+)", code)) is not None:
        if forced[1] == "flaky":
            return "success" if variation.number % 2 else "assertion"
        if forced[1] == "raced":
            return "assertion" if variation.pressed == 7 else "success"
        return forced[1]
    needed = re.findall(r"needs: (.+)", code)
    return "success" if all(code.count(words) > 1 for words in needed) else "assertion"


def _report(suite: Suite, state: str, kind: str) -> SuiteReport:
    passed = "passed" if state == "success" else "failed"
    cases = [CaseReport(name=name, state=passed, kind=kind) for name in suite.cases]
    return SuiteReport(state=state, kind=kind, cases=cases, detail=f"it ended by {kind or state}", cpu_s=0.25)

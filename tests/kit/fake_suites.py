"""Runners that execute nothing: how a suite ends stands in a remark of its focal file.

`needs: a + b` on a line: the test passes if the words are in the code besides. `ends: flaky`, `ends:
environment` and so on: it always ends so. `ends: raced`: it fails where the scheduler is pressed in one way.
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
    """A runner of one language. `executed` counts, over all runners, what a test forgets to clear."""

    lang, batch = "Python", 1
    executed: list[tuple[str, int]] = []  # focal code, number of the variation
    closed = 0
    stop_after: int | None = None  # executions after which the machine is "switched off"

    def versions(self) -> Mapping[str, str]:
        """One part, as if it were a toolchain."""
        return {self.lang.lower(): "1.0"}

    def prepare(self) -> None:
        """Nothing is kept."""

    def run(
        self, suites: Iterable[tuple[int, Suite]], *, variation: Variation
    ) -> Iterator[tuple[int, SuiteReport]]:
        """Reports in reverse order, as any order is allowed; none for `ends: lost`."""
        for number, suite in reversed(list(suites)):
            if FakeSuites.stop_after is not None and len(FakeSuites.executed) >= FakeSuites.stop_after:
                raise KeyboardInterrupt
            code = suite.files[suite.focal]
            FakeSuites.executed.append((code, variation.number))
            end = _end(code, variation)
            if end != "lost":
                yield number, _report(suite, *_ENDS[end])

    def close(self) -> None:
        """Count it."""
        FakeSuites.closed += 1


class FakeJava(FakeSuites):
    """The same for Java."""

    lang = "Java"


class FakeGo(FakeSuites):
    """Go, whose toolchain is not there."""

    lang = "Go"

    def versions(self) -> Mapping[str, str]:
        """Nothing to tell."""
        raise PrerequisiteError("there is no Go", hint="apt-get install golang-go")


def use_fakes(patch: pytest.MonkeyPatch, *fakes: type[FakeSuites]) -> None:
    """Let the commands in this process have these runners and no other."""
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

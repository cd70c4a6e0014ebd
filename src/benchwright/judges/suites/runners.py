"""The suite judge, and the runners of a worker by language: opened on first use and kept warm."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import msgspec

from benchwright import registry
from benchwright.contracts import Extraction, Judgement, Pending, ProgramServer, SuiteRunner, SuiteSpec
from benchwright.errors import UsageError
from benchwright.judges.judge_registry import Resources
from benchwright.lang.languages import language
from benchwright.records import Isolation, Outcome


class OpenRunners:
    """The runners of one worker by language and libraries folder, closed when the worker ends."""

    def __init__(self, resources: Resources) -> None:
        self._closing = resources.closing
        self._runners: dict[tuple[str, str], SuiteRunner] = {}

    def get(self, lang: str, libraries: str = "") -> SuiteRunner:
        """Return the runner, opened on first use."""
        if (lang, libraries) not in self._runners:
            self._runners[lang, libraries] = open_runner(lang, libraries)
            self._closing.callback(self._runners[lang, libraries].close)
        return self._runners[lang, libraries]

    def server(self, lang: str, libraries: str = "") -> ProgramServer:
        """Return the same runner, if programs of its language can answer calls. Raises UsageError."""
        runner = self.get(lang, libraries)
        if not isinstance(runner, ProgramServer):
            raise UsageError(f"{lang} programs cannot answer calls", hint="judge its answers by test suites")
        return runner


class SuiteJudge:
    """Executes the suites of a spec. The reports are the payload; "passed" means that every suite
    succeeded."""

    spec = SuiteSpec

    def __init__(self, resources: Resources) -> None:
        self._runners = OpenRunners(resources)

    def judge(self, taken: Extraction, spec: SuiteSpec) -> Judgement | Pending:
        """Return a pending judgement: nothing of a suite is read here."""
        return partial(self._executed, spec)

    def _executed(self, spec: SuiteSpec) -> Judgement:
        runner = self._runners.get(spec.suites[0].lang, spec.libraries)
        reports = list(runner.run(enumerate(spec.suites), variation=spec.variation))
        succeeded = sum(report.state == "success" for _, report in reports)
        return Judgement(
            outcome=Outcome.passed if succeeded == len(spec.suites) else Outcome.wrong,
            isolation=Isolation.tamper_evident,
            payload=msgspec.msgpack.encode(reports),
        )


def open_runner(lang: str, libraries: str = "") -> SuiteRunner:
    """Return the runner of a language, with a libraries folder if it supports one."""
    opener = registry.find("runner", lang)
    has = libraries and language(lang).library_rules.folder
    runner: SuiteRunner = opener(libraries=Path(libraries)) if has else opener()
    return runner

"""Tests of `smartcoding-refine` rows: a test file that the answering commit changed, executed in the sandbox.

A test file is added to a row if it fails on the code as given and passes on the code with the reference. The
row holds one file of code, so tests that need other files of the project are not added. The reason is counted
for each row without tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from benchwright.building.alignment.benchmark.material import (
    MAX_LINES,
    Lines,
    MinedRow,
    Records,
    UnpublishableFileError,
    language_of_path,
    load_row,
)
from benchwright.contracts import RefineSpec, Suite, Variation
from benchwright.executing.suite_runners import Runners, UnavailableLanguage
from benchwright.lang.hunks import replace_lines
from benchwright.lang.languages import LANGUAGES
from benchwright.lang.source import is_test_path
from benchwright.records import Drop
from benchwright.tracks.refine.rows import read_task, spec_of

ADDED = "with_tests"
MAX_FILES = 5  # test files of one commit that are tried


class RefineTestFinder:
    """Adds tests to rows. `counts` has the rows with tests, and those without by reason."""

    def __init__(self, records: Records, lines: Lines, runners: Runners) -> None:
        self.counts: Counter[str] = Counter()
        self._records, self._lines, self._runners = records, lines, runners

    def rows(self, found: Sequence[MinedRow]) -> list[MinedRow]:
        """Return the rows, those that can have tests with them."""
        files = self._changed_tests({each.row["commit"] for each in found})
        return [self._tested(each, files) for each in found]

    def _changed_tests(self, commits: set[str]) -> dict[str, list[str]]:
        """The test files that each commit added or modified."""
        found: dict[str, list[str]] = {}
        for event in self._records.events():
            sha = event.subject.removeprefix("commit:")
            if event.kind == "commit" and sha in commits:
                paths = [each.path for each in event.files if each.status != "deleted"]
                found[sha] = [path for path in paths if is_test_path(path)]
        return found

    def _tested(self, mined: MinedRow, files: Mapping[str, list[str]]) -> MinedRow:
        """The row with the first test file that is added, or as it was; counted in either case."""
        row = mined.row
        reason = self._refusal(mined) or "no_test_file"
        paths = [path for path in files.get(row["commit"], ()) if language_of_path(path) == row["lang"]]
        for path in sorted(paths)[:MAX_FILES] if reason == "no_test_file" else ():
            tested = {**row, "tests": {"code": self._file(mined.repo, row["commit"], path), "name": path}}
            task = load_row(tested, read_task, row["id"])
            reason = "test_file_unusable" if isinstance(task, Drop) else self._verdict(spec_of(task))
            if not reason:
                self.counts[ADDED] += 1
                return mined._replace(row=tested)
        self.counts[reason] += 1
        return mined

    def _refusal(self, mined: MinedRow) -> str:
        """Why no test is executed for a row; empty if one is looked for."""
        lang = mined.row["lang"]
        if lang not in LANGUAGES:
            return "language_without_tests"
        if not mined.whole:
            return "excerpt"
        if is_test_path(mined.row["path"]):
            return "remark_on_tests"
        return "language_unavailable" if isinstance(self._runners.get(lang), UnavailableLanguage) else ""

    def _file(self, repo: str, commit: str, path: str) -> str:
        """The text of a file; empty if it cannot be published or is too large."""
        try:
            lines = self._lines(repo, commit, path) or []
        except UnpublishableFileError:
            return ""
        return "\n".join(lines) + "\n" if len(lines) <= MAX_LINES else ""

    def _verdict(self, spec: RefineSpec) -> str:
        """Why tests are not added; empty if they fail before the answer and pass after it."""
        assert spec.suite is not None
        fixed = replace_lines(spec.code, spec.first, spec.last, spec.reference)
        before, after = self._states(spec.suite, _with(spec.suite, fixed))
        if after != "success":
            return "fails_with_reference" if after == "failed" else f"tests_{after}"
        if before != "failed":
            return "passes_before" if before == "success" else f"tests_{before}"
        return ""

    def _states(self, *suites: Suite) -> list[str]:
        available = self._runners.get(suites[0].lang)
        assert not isinstance(available, UnavailableLanguage)
        reports = dict(available.runner.run(enumerate(suites), variation=Variation()))
        return [reports[place].state if place in reports else "sandbox_error" for place in range(len(suites))]


def _with(suite: Suite, code: str) -> Suite:
    return msgspec.structs.replace(suite, files={**suite.files, suite.focal: code})

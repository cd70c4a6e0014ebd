"""Catalogue of errors in submissions: severity, reaction of MERA's server, and fix.

The reactions are from MERA's published scoring module. The server of MERA Code is not published; possible
differences are mentioned.
"""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import Any, NamedTuple

from benchwright.errors import command_name
from benchwright.records import Record

KEPT = 100  # stored findings of a kind in a file; further ones are only counted


class Severity(StrEnum):
    """error: do not upload. warning: will be scored, but may be unintended."""

    error = "error"
    warning = "warning"


class SubmissionFinding(Record, frozen=True, kw_only=True):
    """An error with its place and effect."""

    kind: str
    severity: Severity
    file: str
    id: Any = None
    field: str = ""
    problem: str
    server: str
    hint: str


class Rule(NamedTuple):
    """Facts about a kind of error."""

    severity: Severity
    server: str
    hint: str


_ALL_FAILS = "`unreadable_zip`: nothing in the archive is scored"
_ZERO = "the whole task set gets 0"
_RUN = command_name()
_EXPORT = f"write it with `{_RUN} export mera`"
_TOP = 'the document is {"data": {"test": [row, …]}}'
_ROW = 'a row is {"outputs": X, "meta": {"id": 1}}'
_E, _W = Severity.error, Severity.warning

CATALOGUE: dict[str, Rule] = {
    "unreadable-zip": Rule(_E, _ALL_FAILS, "pack the files again as a plain zip"),
    "not-named-zip": Rule(_E, _ALL_FAILS, "use a name that ends in lower-case .zip"),
    "encrypted": Rule(_E, _ALL_FAILS, "pack it without a password"),
    "too-large": Rule(_E, "unknown: it was not unpacked here", "list its contents with `unzip -lv`"),
    "unsafe-name": Rule(_E, "the name points out of the archive", "pack the files from their own folder"),
    "not-at-root": Rule(
        _E,
        "MERA's published server searches folders too; the format, and perhaps that of MERA Code, does not",
        "pack the files without their folder: `zip -j submission.zip folder/*.json`",
    ),
    "doubled-file": Rule(_E, "reads one of them, in the order of its disk", "keep one of the files"),
    "extra-file": Rule(_W, "ignores it", "remove it"),
    "missing-file": Rule(_E, f"`no_task`: {_ZERO}", _EXPORT),
    "wrong-case": Rule(_E, f"`no_task`: names are case-sensitive, and {_ZERO}", "rename it"),
    "wrong-extension": Rule(_E, f"`extension`: {_ZERO}", "write one JSON document named .json"),
    "byte-order-mark": Rule(_E, f"`unreadable_file`: {_ZERO}", "save it as UTF-8 without a byte-order mark"),
    "not-utf-8": Rule(_E, f"`unreadable_file`: {_ZERO}", "save it as UTF-8"),
    "broken-json": Rule(_E, f"`unreadable_file`: {_ZERO}", "`python -m json.tool FILE` shows the error"),
    "doubled-key": Rule(_W, "uses the last value", "keep one of the keys"),
    "no-data": Rule(_E, f"`no_data_field`: {_ZERO}", _TOP),
    "no-split": Rule(_E, f"`no_split`: {_ZERO}", _TOP),
    "wrong-top": Rule(_E, "stops with its own error", _TOP),
    "no-outputs": Rule(_E, f"`no_outputs_field_for_doc`: {_ZERO}", _ROW),
    "no-meta": Rule(_E, f"`no_meta_field_for_doc`: {_ZERO}", _ROW),
    "no-id": Rule(_E, f"`no_id_field_for_doc`: {_ZERO}", _ROW),
    "id-not-integer": Rule(
        _E, f"finds a task by an equal number only, else `no_id`: {_ZERO}", "write the id as a number"
    ),
    "id-unusable": Rule(_E, "stops with its own error", "write the id as a number"),
    "doubled-id": Rule(_E, "the last of the rows counts", "keep one row per task"),
    "unknown-id": Rule(_W, "ignores the row", "check the task set and its version"),
    "missing-id": Rule(_E, f"`no_id`: {_ZERO}, not this task alone", "answer every task of the set"),
    "outputs-not-list": Rule(
        _E,
        f"`doc_output_type_error`: {_ZERO}",
        "outputs are results of tests, as (1, generations, tests), not code; " + _EXPORT,
    ),
    "outputs-not-text": Rule(_E, f"`doc_output_type_error`: {_ZERO}", "write the answer as one string"),
    "wrong-nesting": Rule(
        _E,
        "raises no error: reads the first list as all generations, so the score is meaningless",
        "wrap all generations of a task in one list: (1, generations, tests)",
    ),
    "no-generations": Rule(
        _E,
        "pass@k of no generations is 1 by its formula, which counts as cheating",
        "answer the task 10 times",
    ),
    "unscorable": Rule(_E, f"`doc_parse_output_error`: {_ZERO}", "a generation is a list of strings"),
    "few-generations": Rule(
        _E,
        "pass@k with k above their number is 1 by its formula, for any answers",
        f"ask for 10 answers per task: `{_RUN} run … --n 10`",
    ),
    "uneven-generations": Rule(
        _W, "scores each task by its own number", "give each task the same number of generations"
    ),
    "generation-not-list": Rule(
        _E,
        "compares the string letter by letter, so it counts as wrong",
        "a generation is the list of its tests' results, not its code; " + _EXPORT,
    ),
    "timed-out": Rule(
        _W,
        "compares the string letter by letter, so it counts as wrong",
        f"these answers ended without results; see `{_RUN} show RUN`",
    ),
    "wrong-count": Rule(_E, "counts the generation as wrong", "one value for each test of the task"),
    "not-a-string": Rule(
        _E, 'counts the generation as wrong: 2 is not "2"', "write each value as the text of str()"
    ),
    "responses-nesting": Rule(
        _E,
        "takes the first element for the list of all responses",
        "wrap all responses to a task in one list: (1, responses)",
    ),
    "response-not-text": Rule(
        _E, "fails in the extraction, which needs a string", "write each answer as the text of the model"
    ),
    "null-for-none": Rule(
        _W,
        'counts it as wrong, unlike MERA\'s own harness: null is not "None"',
        'export without `--none null`, to write "None" like MERA\'s harness',
    ),
    "only-null": Rule(
        _W,
        "counts every generation as wrong",
        f"no answer ran: see `{_RUN} show RUN`; MERA's own harness does this on Python 3.13",
    ),
    "only-empty": Rule(
        _E, "counts every generation as wrong", "these are placeholders: " + _EXPORT
    ),
    "identical-generations": Rule(
        _W,
        "gives pass@1 = pass@5 = pass@10",
        "the model's server may have returned one sample ten times: use a seed for each request",
    ),
}  # fmt: skip


class Findings:
    """Findings so far; limited, because a hostile file can have millions."""

    def __init__(self) -> None:
        self.kept: list[SubmissionFinding] = []
        self.counts: Counter[tuple[str, str]] = Counter()

    def add(
        self, kind: str, file: str, problem: str, *, task_id: Any = None, field: str = "", hint: str = ""
    ) -> None:
        """Add an error; severity and effect are from the catalogue."""
        known = CATALOGUE[kind]
        self.counts[kind, file] += 1
        if self.counts[kind, file] <= KEPT:
            self.kept.append(
                SubmissionFinding(
                    kind=kind,
                    severity=known.severity,
                    file=file,
                    id=task_id,
                    field=field,
                    problem=problem,
                    server=known.server,
                    hint=hint or known.hint,
                )
            )

    def number(self, severity: Severity) -> int:
        """Return the number of errors of a severity, including those that are not stored."""
        return sum(count for (kind, _), count in self.counts.items() if CATALOGUE[kind].severity == severity)

    def has(self, *kinds: str, file: str) -> bool:
        """Return whether the file has an error of one of these kinds."""
        return any(self.counts[kind, file] for kind in kinds)

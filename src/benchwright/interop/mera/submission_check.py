"""Checks of a MERA submission, and its scores by the rules of MERA's scorer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_path
from benchwright.errors import UsageError
from benchwright.interop.mera.archive import (
    UNREADABLE,
    ArchiveMember,
    check_ids,
    name_of,
    read_json,
    read_members,
    read_rows,
)
from benchwright.interop.mera.findings import Findings, Severity, SubmissionFinding
from benchwright.interop.mera.score_intervals import (
    Intervals,
    chrf_intervals,
    grade_intervals,
    pass_intervals,
    share_intervals,
)
from benchwright.interop.mera.task_sets import (
    KINDS,
    UNIT_TESTS,
    OutputsShape,
    TaskSetGold,
    TaskSetKind,
    find_kind,
    kind_of,
)
from benchwright.lang.codebleu.code_bleu import code_bleu
from benchwright.text.chrf import chrf
from benchwright.text.label import take_label
from benchwright.text.remarks import BLEU, CHRF, likeness, remarks_by_mera
from benchwright.tracks.unittests.extraction import take_code
from benchwright.tracks.unittests.rows import FAILURES

_TRACK = "ruhumaneval"
_READABLE = tuple(kind.name for kind in KINDS.values() if kind.track)


class TaskSet(NamedTuple):
    """A task set of a submission. `served` has scores by rule; empty without expected outputs."""

    kind: TaskSetKind
    file: str
    rows: int
    served: dict[str, ServerScore]


class SubmissionCheck(NamedTuple):
    """Findings and task sets of a submission."""

    findings: Findings
    sets: list[TaskSet]

    @property
    def errors(self) -> int:
        """Number of errors that prevent the upload."""
        return self.findings.number(Severity.error)

    @property
    def warnings(self) -> int:
        """Number of warnings."""
        return self.findings.number(Severity.warning)

    @property
    def listed(self) -> list[SubmissionFinding]:
        """Findings, errors first."""
        return sorted(self.findings.kept, key=lambda finding: finding.severity is Severity.warning)


def check(path: str | Path, golds: Mapping[str, TaskSetGold]) -> SubmissionCheck:
    """Check a submission against task sets by name.

    Other task sets of MERA Code in it are checked too, except for checks that need their rows.
    """
    found = Findings()
    members = read_members(path, found)
    archive = escaped_path(Path(path).name)
    if not found.has("unreadable-zip", "too-large", file=archive):
        for name in golds:
            _check_is_there(KINDS[name], members, archive, found)
    sets = [check_member(member, golds.get(name), found) for name, member in members.items()]
    return SubmissionCheck(found, [_without_archive(each) for each in sets] if _is_refused(found) else sets)


def check_member(member: ArchiveMember, gold: TaskSetGold | None, found: Findings) -> TaskSet:
    """Check the file of a task set."""
    document = read_json(member.data, member.name, found)
    if document is UNREADABLE:
        return TaskSet(member.kind, member.name, 0, {})
    return check_document(document, member.kind, gold, member.name, found)


def check_document(
    document: Any, kind: TaskSetKind, gold: TaskSetGold | None, file: str, found: Findings
) -> TaskSet:
    """Check the document of a task set."""
    outputs = read_rows(document, file, found)
    if outputs is None:
        return TaskSet(kind, file, 0, {})
    if gold is not None:
        check_ids(outputs, gold.tests, file, found)
    OutputCheck(kind, gold, file, found).run(outputs)
    return TaskSet(kind, file, len(outputs), _serve(outputs, kind, gold, file, found))


def name_golds(submission: str | Path, golds: list[TaskSetGold], names: list[str]) -> dict[str, TaskSetGold]:
    """Assign data to task sets: by the given names, else by hidden or public outputs."""
    if names and len(names) != len(golds):
        message = f"{len(names)} task names for {len(golds)} data sets"
        raise UsageError(message, hint="give one --task for each --gold, in the same order")
    for name in names:
        if not find_kind(name).track:
            message = f"data sets of {name} cannot be read; its file is checked without one"
            raise UsageError(message, hint=f"--task {' or --task '.join(_READABLE)}")
    if not names:
        names = [kind_of(_TRACK, private=gold.expected is None).name for gold in golds]
    if len(set(names)) < len(names):
        message = f"{submission}: two data sets for {names[0]}"
        raise UsageError(message, hint="specify the task sets: --task ruHumanEval --task ruCodeEval")
    return dict(zip(names, golds, strict=True))


def _check_is_there(
    kind: TaskSetKind, members: Mapping[str, ArchiveMember], archive: str, found: Findings
) -> None:
    if kind.name in members:
        return
    if any(name.split("/")[-1].casefold().startswith(f"{kind.name.casefold()}.") for _, name in found.counts):
        return  # it is there under a name that was already called wrong
    found.add("missing-file", archive, f"it holds no {kind.name}.json at its root")


def _is_refused(found: Findings) -> bool:
    """Return whether the server cannot unpack the archive: one damaged file is enough."""
    return any(kind in ("unreadable-zip", "encrypted", "not-named-zip") for kind, _ in found.counts)


def _without_archive(each: TaskSet) -> TaskSet:
    served = {
        rule: failed_score([("unreadable_zip", None)]) if rule == "server" else was
        for rule, was in each.served.items()
    }
    return each._replace(served=served)


# Errors for which the server rejects a file before it reads any task of the set.
_REFUSED = {
    "wrong-case": "no_task",
    "byte-order-mark": "unreadable_file",
    "no-outputs": "no_outputs_field_for_doc",
    "no-meta": "no_meta_field_for_doc",
    "no-id": "no_id_field_for_doc",
    "id-unusable": "task_system_error",
}


def _serve(
    outputs: Mapping[Any, Any], kind: TaskSetKind, gold: TaskSetGold | None, file: str, found: Findings
) -> dict[str, ServerScore]:
    if gold is None or gold.expected is None or not kind.track:
        return {}
    if kind.shape is OutputsShape.text:
        scored = _TEXT_SCORES.get(kind.name)
        return {"harness": scored(gold.expected, outputs)} if scored else {}
    served = {name: score(gold.expected, outputs, rule=rule) for name, rule in RULES.items()}
    if refused := [(name, None) for fault, name in _REFUSED.items() if found.counts[fault, file]]:
        served["server"] = failed_score(list(refused))
    return served


TIMED_OUT = "timed out"


class OutputCheck:
    """Checks the outputs of a file, row by row, then as a whole."""

    def __init__(self, kind: TaskSetKind, gold: TaskSetGold | None, file: str, found: Findings) -> None:
        self._kind, self._gold, self._file, self._found = kind, gold, file, found

    def run(self, outputs: Mapping[Any, Any]) -> None:
        """Check all outputs by id."""
        rows = []
        for task_id, value in outputs.items():
            if self._kind.shape is OutputsShape.text:
                if not isinstance(value, str):
                    self._add("outputs-not-text", f"it is {name_of(value)}", task_id)
            elif not isinstance(value, list):
                self._add("outputs-not-list", f"it is {name_of(value)}, not an array", task_id)
            elif generations := self._check_row(value, task_id):
                rows.append(generations)
        self._check_whole(rows)

    def _add(self, kind: str, problem: str, task_id: Any, field: str = "outputs") -> None:
        self._found.add(kind, self._file, problem, task_id=task_id, field=field)

    def _check_row(self, value: list[Any], task_id: Any) -> list[Any]:
        """Return the generations of a row; none if they are misplaced."""
        if problem := self._nesting_error(value, task_id):
            flat = self._kind.shape is OutputsShape.responses
            self._add("responses-nesting" if flat else "wrong-nesting", problem, task_id)
            return []
        if not value:
            self._add("unscorable", "it is an empty array, so there is no list of generations", task_id)
            return []
        generations: list[Any] = value[0]
        if not generations:
            self._add("no-generations", "there are no generations", task_id)
        elif len(generations) < self._kind.generations:
            problem = f"{len(generations)} generations, fewer than {self._kind.generations}"
            self._add("few-generations", problem, task_id)
        for number, generation in enumerate(generations):
            self._check_generation(generation, task_id, f"outputs.0.{number}")
        return generations

    def _nesting_error(self, value: list[Any], task_id: Any) -> str:
        if self._kind.shape is OutputsShape.responses:
            flat = len(value) != 1 or not isinstance(value[0], list)
            return "it is not one list with all responses" if value and flat else ""
        return _nesting_error(value, self._gold.tests.get(task_id) if self._gold else None)

    def _check_generation(self, generation: Any, task_id: Any, field: str) -> None:
        if self._kind.shape is OutputsShape.responses:
            if not isinstance(generation, str):
                self._add("response-not-text", f"it is {name_of(generation)}", task_id, field)
        elif generation == TIMED_OUT:
            self._add("timed-out", f'it is the text "{TIMED_OUT}"', task_id, field)
        elif isinstance(generation, str):
            self._add(
                "generation-not-list", f"it is a string of {len(generation):,} characters", task_id, field
            )
        elif not isinstance(generation, list):
            self._add("unscorable", f"it is {name_of(generation)}, not an array", task_id, field)
        else:
            self._check_values(generation, task_id, field)

    def _check_values(self, values: list[Any], task_id: Any, field: str) -> None:
        tests = self._gold.tests.get(task_id) if self._gold else None
        if tests is not None and len(values) != tests:
            self._add("wrong-count", f"{len(values)} values for {tests} tests", task_id, field)
        expected = self._gold.expected.get(task_id) if self._gold and self._gold.expected else None
        for at, value in enumerate(values):
            if value is None:
                if expected and expected[at : at + 1] == ["None"]:
                    self._add("null-for-none", 'null, where "None" is expected', task_id, f"{field}.{at}")
            elif not isinstance(value, str):
                self._add("not-a-string", f"it is {name_of(value)}", task_id, f"{field}.{at}")

    def _check_whole(self, rows: list[list[Any]]) -> None:
        """Check the file as a whole: an easy task may have ten equal generations, but not all tasks."""
        numbers = {len(row) for row in rows}
        if len(numbers) > 1:
            self._add("uneven-generations", f"tasks have from {min(numbers)} to {max(numbers)}", None)
        values = set(_kinds_of_values(rows))
        if values == {"empty"}:
            self._add("only-empty", "every value of every generation is an empty string", None)
        elif values == {"null"}:
            self._add("only-null", "every value of every generation is null", None)
        elif len(rows) > 1 and min(numbers, default=0) > 1 and all(_are_equal(row) for row in rows):
            self._add("identical-generations", "the generations of each task are all the same", None)


def _nesting_error(value: list[Any], tests: int | None) -> str:
    """Return how the outer lists differ from (1, generations, …); empty if they do not, or are empty.

    A list of strings may be one generation of `tests` values, or several strings: the length decides.
    """
    if not value:
        return ""
    if not isinstance(value[0], list):
        return f"the first element is {name_of(value[0])}, not the list of all generations"
    is_flat = bool(value[0]) and all(_is_value(item) for item in value[0])
    if is_flat and (len(value) > 1 or len(value[0]) == tests):
        return "it is (generations, tests), one level short of (1, generations, tests)"
    if len(value) > 1:
        return f"it holds {len(value)} lists, where one list holds all generations"
    return ""


def _is_value(item: Any) -> bool:
    return item is None or (isinstance(item, str) and item != TIMED_OUT)


def _kinds_of_values(rows: Iterable[list[Any]]) -> Iterable[str]:
    for row in rows:
        for generation in row:
            for value in generation if isinstance(generation, list) else [generation]:
                yield "null" if value is None else "empty" if value == "" else "other"


def _are_equal(generations: list[Any]) -> bool:
    return all(generation == generations[0] for generation in generations)


KS = (1, 5, 10)
Metrics = dict[str, float]
Rule = Callable[[Sequence[str], Any], bool]


class UnscorableRow(Exception):
    """MERA's scorer fails on this row: `doc_parse_output_error`, and the whole task set gets 0."""


class ServerScore(NamedTuple):
    """Score of a task set: metrics with their intervals, or errors (type, id), which make all metrics 0."""

    metrics: Metrics
    errors: list[tuple[str, Any]]
    intervals: Intervals = {}

    @property
    def mean(self) -> float:
        """Total score of the task set: the mean of its metrics."""
        return sum(self.metrics.values()) / max(len(self.metrics), 1)


def matches_as_server(expected: Sequence[str], given: Any) -> bool:
    """Apply the server's rule to a generation: equal length, equal type of the first value, equal values."""
    return _fits(expected, given) and isinstance(expected[0], type(_first(given))) and _all(expected, given)


def matches_as_harness(expected: Sequence[str], given: Any) -> bool:
    """Apply the harness's rule to a generation: equal length, and equal texts."""
    return _fits(expected, given) and all(str(value) == _text(given, at) for at, value in enumerate(expected))


RULES: Mapping[str, Rule] = {"server": matches_as_server, "harness": matches_as_harness}


def pass_at_k(n: int, c: int, k: int) -> float:
    """Compute pass@k as MERA does: the unbiased estimator for n >= k; otherwise 1 for any c.

    >>> pass_at_k(10, 3, 1), pass_at_k(1, 0, 5)
    (0.30000000000000004, 1.0)
    """
    if n - c < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1))


def count_row(expected: Sequence[str], outputs: Any, rule: Rule) -> tuple[int, int]:
    """Count a row's generations and correct ones. Raises UnscorableRow where MERA's scorer would fail."""
    try:
        generations = outputs[0]
        correct = [rule(expected, generations[number]) for number in range(len(generations))]
    except (TypeError, KeyError, IndexError) as error:
        raise UnscorableRow(str(error)) from None
    return len(correct), sum(correct)


def score_row(expected: Sequence[str], outputs: Any, rule: Rule) -> Metrics:
    """Compute the metrics of a row. Raises as `count_row`."""
    return {f"pass@{k}": pass_at_k(*count_row(expected, outputs, rule), k) for k in KS}


def score(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any], *, rule: Rule) -> ServerScore:
    """Score a task set: one invalid row makes the whole score 0."""
    errors: list[tuple[str, Any]] = []
    counts: list[tuple[int, int]] = []
    for task_id, texts in expected.items():
        if task_id not in outputs:
            errors.append(("no_id", task_id))
        elif not isinstance(outputs[task_id], list):
            errors.append(("doc_output_type_error", task_id))
        else:
            try:
                counts.append(count_row(texts, outputs[task_id], rule))
            except UnscorableRow:
                errors.append(("doc_parse_output_error", task_id))
    return failed_score(errors) if errors else ServerScore(_means(counts), [], pass_intervals(counts, KS))


def score_labels(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any]) -> ServerScore:
    """Score answers to CodeCorrectness as MERA's harness does: the share with the expected label.

    The label is the word of both that occurs in the text, case-sensitively; see `text.label`. MERA's server
    is not published; a text per row is assumed, as for other task sets of this shape.
    """
    errors: list[tuple[str, Any]] = []
    right = 0
    for task_id, (label,) in expected.items():
        if task_id not in outputs:
            errors.append(("no_id", task_id))
        elif not isinstance(outputs[task_id], str):
            errors.append(("doc_output_type_error", task_id))
        else:
            right += take_label(outputs[task_id], profile="mera-exact").program == label
    if errors:
        return ServerScore({"acc": 0.0}, errors)
    rows = len(expected)
    return ServerScore({"acc": right / max(rows, 1)}, [], share_intervals("acc", right, rows))


def score_chrf(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any]) -> ServerScore:
    """Score answers to StRuCom as MERA's harness does: chrF of all rows together, from 0 to 100.

    A text per row is assumed, as for CodeCorrectness.
    """
    if errors := _not_texts(expected, outputs):
        return ServerScore({"chrf": 0.0}, errors)
    pairs = [(outputs[task_id], reference) for task_id, (reference,) in expected.items()]
    value = 100 * chrf(pairs, words=0, limit=None)
    return ServerScore({"chrf": value}, [], chrf_intervals("chrf", pairs))


def score_remarks(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any]) -> ServerScore:
    """Score answers to ruCodeReviewer as MERA's harness does, from 0 to 100, without its judge.

    BLEU and chrF are means over rows of those of the best remark. A text per row is assumed, as for
    CodeCorrectness.
    """
    names = (BLEU, CHRF)
    if errors := _not_texts(expected, outputs):
        return ServerScore(dict.fromkeys(names, 0.0), errors)
    found = [likeness(remarks_by_mera(outputs[task_id]), known) for task_id, (known,) in expected.items()]
    values = {name: [row[name] for row in found] for name in names}
    return ServerScore(
        {name: 100 * math.fsum(values[name]) / len(found) for name in names},
        [],
        {key: at for name in names for key, at in grade_intervals(name, values[name], scale=100).items()},
    )


def _not_texts(expected: Iterable[Any], outputs: Mapping[Any, Any]) -> list[tuple[str, Any]]:
    errors = [("no_id", task_id) for task_id in expected if task_id not in outputs]
    return errors + [
        ("doc_output_type_error", task_id)
        for task_id in expected
        if task_id in outputs and not isinstance(outputs[task_id], str)
    ]


def score_unit_tests(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any]) -> ServerScore:
    """Score answers to UnitTests as MERA's harness does: the mean of CodeBLEU with the human tests, 0 to 1.

    An expected row is the human test and its language. Raises PrerequisiteError without a grammar.
    """
    if errors := _not_texts(expected, outputs):
        return ServerScore({"code_bleu": 0.0}, errors)
    found = [
        0.0 if language in FAILURES else code_bleu(take_code(outputs[task_id], language), test, language).mean
        for task_id, (test, language) in expected.items()
    ]
    value = sum(found) / max(len(found), 1)
    return ServerScore({"code_bleu": value}, [], grade_intervals("code_bleu", found))


_TEXT_SCORES = {
    "CodeCorrectness": score_labels,
    "stRuCom": score_chrf,
    "ruCodeReviewer": score_remarks,
    UNIT_TESTS: score_unit_tests,
}


def has_score(kind: TaskSetKind) -> bool:
    """Whether answers to a task set of texts can be scored without executing or judging them."""
    return kind.shape is not OutputsShape.text or kind.name in _TEXT_SCORES


def failed_score(errors: list[tuple[str, Any]]) -> ServerScore:
    """Return the score of a task set that the scorer rejects as a whole."""
    return ServerScore({f"pass@{k}": 0.0 for k in KS}, errors)


def _means(counts: list[tuple[int, int]]) -> Metrics:
    return {f"pass@{k}": sum(pass_at_k(n, c, k) for n, c in counts) / max(len(counts), 1) for k in KS}


def _fits(expected: Sequence[str], values: Any) -> bool:
    """Return whether the length is as expected and not 0. Raises TypeError without a length, as MERA."""
    return len(values) == len(expected) and len(values) > 0


def _first(values: Any) -> Any:
    return values[0]


def _all(expected: Sequence[str], values: Any) -> bool:
    return all(value == values[at] for at, value in enumerate(expected))


def _text(values: Any, at: int) -> str | None:
    try:
        return str(values[at])
    except (KeyError, ValueError, RecursionError):  # it counts an item that it cannot compare as wrong
        return None

"""MERA's two scorers of function-completion outputs, quirks kept: the server's, and the one in its harness.

They disagree. The harness compares `str(expected)` with `str(given)`, so null equals an expected "None"; the
server compares the values themselves, so it does not. Both take the first generation list for all there is,
and give pass@k = 1 to fewer than k generations. Read from MERA's published code: `check_solution`,
`compute_pass_k` and `Task.evaluate` of its scoring module, and `process_results` of its ruHumanEval task.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.text.label import take_label

KS = (1, 5, 10)
Metrics = dict[str, float]
Rule = Callable[[Sequence[str], Any], bool]


class Unscorable(Exception):
    """MERA's scorer raises on this row: `doc_parse_output_error`, and the whole task set gets 0."""


class Served(NamedTuple):
    """What a scorer makes of a task set: metrics, or the errors (type, id) for which all of them are 0."""

    metrics: Metrics
    errors: list[tuple[str, Any]]

    @property
    def mean(self) -> float:
        """The task set's one score: the mean of its metrics."""
        return sum(self.metrics.values()) / max(len(self.metrics), 1)


def by_server(expected: Sequence[str], given: Any) -> bool:
    """The server's rule for one generation: the same number, a first value of the same type, all equal."""
    return _fits(expected, given) and isinstance(expected[0], type(_first(given))) and _all(expected, given)


def by_harness(expected: Sequence[str], given: Any) -> bool:
    """The harness's rule for one generation: the same number, and each of the same text."""
    return _fits(expected, given) and all(str(want) == _text(given, at) for at, want in enumerate(expected))


RULES: Mapping[str, Rule] = {"server": by_server, "harness": by_harness}


def pass_at_k(n: int, c: int, k: int) -> float:
    """As MERA computes it: the unbiased estimator for n >= k only; below that it is 1 whatever c is.

    >>> pass_at_k(10, 3, 1), pass_at_k(1, 0, 5)
    (0.30000000000000004, 1.0)
    """
    if n - c < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1))


def score_row(expected: Sequence[str], outputs: Any, rule: Rule) -> Metrics:
    """The metrics of one row. Raises Unscorable where MERA's scorer would raise."""
    try:
        generations = outputs[0]
        correct = [rule(expected, generations[number]) for number in range(len(generations))]
    except (TypeError, KeyError, IndexError) as error:
        raise Unscorable(str(error)) from None
    n, c = len(correct), sum(correct)
    return {f"pass@{k}": pass_at_k(n, c, k) for k in KS}


def score(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any], *, rule: Rule) -> Served:
    """What a scorer gives to a task set: one faulty row takes the score of all."""
    errors: list[tuple[str, Any]] = []
    rows: list[Metrics] = []
    for task_id, texts in expected.items():
        if task_id not in outputs:
            errors.append(("no_id", task_id))
        elif not isinstance(outputs[task_id], list):
            errors.append(("doc_output_type_error", task_id))
        else:
            try:
                rows.append(score_row(texts, outputs[task_id], rule))
            except Unscorable:
                errors.append(("doc_parse_output_error", task_id))
    return failed(errors) if errors else Served(_means(rows), [])


def score_labels(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any]) -> Served:
    """What MERA's harness gives to answers of CodeCorrectness: the share whose label is the expected one.

    The label is the one of the two words that is a part of the text, letter case and all; see `text.label`.
    Its server is not published: it is taken to ask for a text a row, as for other task sets of this shape.
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
    return Served({"acc": 0.0}, errors) if errors else Served({"acc": right / max(len(expected), 1)}, [])


def failed(errors: list[tuple[str, Any]]) -> Served:
    """A task set that the scorer refuses as a whole."""
    return Served({f"pass@{k}": 0.0 for k in KS}, errors)


def _means(rows: list[Metrics]) -> Metrics:
    return {f"pass@{k}": sum(row[f"pass@{k}"] for row in rows) / max(len(rows), 1) for k in KS}


def _fits(expected: Sequence[str], given: Any) -> bool:
    """Whether there are as many as expected, and any. A value without a length is a TypeError, as at MERA."""
    return len(given) == len(expected) and len(given) > 0


def _first(given: Any) -> Any:
    return given[0]


def _all(expected: Sequence[str], given: Any) -> bool:
    return all(want == given[at] for at, want in enumerate(expected))


def _text(given: Any, at: int) -> str | None:
    try:
        return str(given[at])
    except (KeyError, ValueError, RecursionError):  # it counts an item that it cannot compare as wrong
        return None

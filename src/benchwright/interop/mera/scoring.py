"""MERA's two scorers of function-completion outputs, with their quirks: the server's and the harness's.

They disagree. The harness compares `str(expected)` with `str(given)`, so null equals an expected "None"; the
server compares the values. Both read the first generation list only, and return pass@k = 1 for fewer than k
generations. Source: MERA's published code: `check_solution`,
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
    """MERA's scorer fails on this row: `doc_parse_output_error`, and the whole task set gets 0."""


class Served(NamedTuple):
    """Score of a task set: metrics, or errors (type, id), which make all metrics 0."""

    metrics: Metrics
    errors: list[tuple[str, Any]]

    @property
    def mean(self) -> float:
        """Total score of the task set: the mean of its metrics."""
        return sum(self.metrics.values()) / max(len(self.metrics), 1)


def by_server(expected: Sequence[str], given: Any) -> bool:
    """Apply the server's rule to a generation: equal length, equal type of the first value, equal values."""
    return _fits(expected, given) and isinstance(expected[0], type(_first(given))) and _all(expected, given)


def by_harness(expected: Sequence[str], given: Any) -> bool:
    """Apply the harness's rule to a generation: equal length, and equal texts."""
    return _fits(expected, given) and all(str(want) == _text(given, at) for at, want in enumerate(expected))


RULES: Mapping[str, Rule] = {"server": by_server, "harness": by_harness}


def pass_at_k(n: int, c: int, k: int) -> float:
    """Compute pass@k as MERA does: the unbiased estimator for n >= k; otherwise 1 for any c.

    >>> pass_at_k(10, 3, 1), pass_at_k(1, 0, 5)
    (0.30000000000000004, 1.0)
    """
    if n - c < k:
        return 1.0
    return 1.0 - math.prod(1.0 - k / i for i in range(n - c + 1, n + 1))


def score_row(expected: Sequence[str], outputs: Any, rule: Rule) -> Metrics:
    """Compute the metrics of a row. Raises Unscorable where MERA's scorer would fail."""
    try:
        generations = outputs[0]
        correct = [rule(expected, generations[number]) for number in range(len(generations))]
    except (TypeError, KeyError, IndexError) as error:
        raise Unscorable(str(error)) from None
    n, c = len(correct), sum(correct)
    return {f"pass@{k}": pass_at_k(n, c, k) for k in KS}


def score(expected: Mapping[Any, Sequence[str]], outputs: Mapping[Any, Any], *, rule: Rule) -> Served:
    """Score a task set: one invalid row makes the whole score 0."""
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
    return Served({"acc": 0.0}, errors) if errors else Served({"acc": right / max(len(expected), 1)}, [])


def failed(errors: list[tuple[str, Any]]) -> Served:
    """Return the score of a task set that the scorer rejects as a whole."""
    return Served({f"pass@{k}": 0.0 for k in KS}, errors)


def _means(rows: list[Metrics]) -> Metrics:
    return {f"pass@{k}": sum(row[f"pass@{k}"] for row in rows) / max(len(rows), 1) for k in KS}


def _fits(expected: Sequence[str], given: Any) -> bool:
    """Return whether the length is as expected and not 0. Raises TypeError without a length, as MERA."""
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

"""Metrics by their names: how tables and sentences call, order and write them."""

from __future__ import annotations

from collections.abc import Iterable

from benchwright.display.wording import interval, percent, plain_number
from benchwright.records import Metric

LABEL_METRICS = ("exact_match", "balanced_accuracy", "mcc", "macro_f1", "invalid")  # in the order of tables
_LABELS = {"mcc": "MCC", "macro_f1": "macro-F1", "invalid": "no label"}
_CORRELATIONS = frozenset({"mcc"})


def metric_label(metric: str) -> str:
    """A metric as sentences and tables have it: "exact match", "MCC", "macro-F1", "pass@1"."""
    return _LABELS.get(metric, metric.replace("_", " "))


def is_share(metric: str) -> bool:
    """Whether it is a share, to be shown in per cent. A correlation may be negative and is none."""
    return metric not in _CORRELATIONS


def figures(metric: str, value: Metric) -> tuple[str, str]:
    """A metric and its interval by its own scale: ("71.2 %", "60.1–80.9") or ("0.42", "−0.05 to 0.61")."""
    if is_share(metric):
        return f"{percent(value.value)} %", interval(value)
    plain, low, high = map(plain_number, (value.value, value.low, value.high))
    return plain, f"{low} to {high}"


def in_metric_order(names: Iterable[str]) -> list[str]:
    """Metrics as tables list them: those of labels in a fixed order, pass@k by k, any other by name."""
    return sorted(names, key=_place_of)


def _place_of(name: str) -> tuple[int, str, int]:
    base, _, k = name.partition("@")
    known = LABEL_METRICS.index(name) if name in LABEL_METRICS else -1
    return known, base, int(k) if k.isdigit() else 0

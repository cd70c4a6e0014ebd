"""Figures as sentences have them: points with a sign, intervals, p values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchwright.records import Metric

MINUS = "−"
LABEL_METRICS = ("exact_match", "balanced_accuracy", "mcc", "macro_f1", "invalid")  # in the order of tables
NOTHING = 5e-6  # a share that no digit shows


def points(*shares: float) -> list[str]:
    """Shares as signed points, such as "+12.3"; all with as many digits as the smallest of them needs.

    One digit, but two or three where one would show as 0.0 what is not zero: an interval that leaves
    zero out must look like it.
    """
    for digits in (1, 2, 3):
        texts = [f"{100 * abs(share):.{digits}f}" for share in shares]
        if all(float(text) or abs(share) < NOTHING for text, share in zip(texts, shares, strict=True)):
            break
    return [_sign(share, text) + text for share, text in zip(shares, texts, strict=True)]


def _sign(share: float, text: str) -> str:
    if not float(text):
        return ""
    return MINUS if share < 0 else "+"


def about(share: float) -> str:
    """A share in points for an "about": whole from ten on, else with one digit."""
    size = 100 * share
    return f"{size:.0f}" if size >= 9.95 else f"{size:.1f}"


def p_value(p: float) -> str:
    """ "p = 0.003", and "p < 0.001" below that; never rounded across 0.05."""
    if p < 0.001:
        return "p < 0.001"
    text = f"{p:.3f}"
    return f"p = {p:.4f}" if text == "0.050" else f"p = {text}"


def percent(confidence: float) -> str:
    """0.95 as "95 %"."""
    return f"{100 * confidence:g} %"


def counted(number: int, noun: str) -> str:
    """ "1 task", "24 tasks"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def joined(names: Sequence[str]) -> str:
    """ "A", "A and B", "A, B and C"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def metric_label(metric: str) -> str:
    """A metric as sentences and tables have it: "exact match", "MCC", "macro-F1", "pass@1"."""
    return _LABELS.get(metric, metric.replace("_", " "))


def is_share(metric: str) -> bool:
    """Whether it is a share, to be shown in per cent. A correlation may be negative and is none."""
    return metric not in _CORRELATIONS


def figures(metric: str, value: Metric) -> tuple[str, str]:
    """A metric and its interval by its own scale: ("71.2 %", "60.1–80.9") or ("0.42", "−0.05 to 0.61")."""
    if is_share(metric):
        return f"{100 * value.value:.1f} %", f"{100 * value.low:.1f}–{100 * value.high:.1f}"
    plain, low, high = map(_plain, (value.value, value.low, value.high))
    return plain, f"{low} to {high}"


def _plain(number: float) -> str:
    text = f"{number:.2f}"
    return text.replace("-", MINUS) if float(text) else "0.00"


def in_metric_order(names: Iterable[str]) -> list[str]:
    """Metrics as tables list them: those of labels in a fixed order, pass@k by k, any other by name."""
    return sorted(names, key=_place_of)


def _place_of(name: str) -> tuple[int, str, int]:
    base, _, k = name.partition("@")
    known = LABEL_METRICS.index(name) if name in LABEL_METRICS else -1
    return known, base, int(k) if k.isdigit() else 0


_LABELS = {"mcc": "MCC", "macro_f1": "macro-F1", "invalid": "no label"}
_CORRELATIONS = frozenset({"mcc"})

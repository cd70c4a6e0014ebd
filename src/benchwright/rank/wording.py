"""Figures as sentences have them: points with a sign, intervals, p values."""

from __future__ import annotations

from collections.abc import Sequence

MINUS = "−"
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

"""Colours and signs: charts use the light values, pages use CSS variables.

Sixteen outcomes would need sixteen colours; people distinguish seven. So outcomes of one kind share a
colour, each group also has a sign, and the exact outcome is always written. A page without
graded answers omits the colours of the two groups that only these have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from benchwright.records import Outcome


class OutcomeGroup(NamedTuple):
    """Outcomes drawn alike: CSS name, legend, sign, and text colour."""

    name: str
    title: str
    sign: str
    ink: str
    outcomes: tuple[Outcome, ...]


GROUPS = (
    OutcomeGroup("passed", "passed", "✓", "on-deep", (Outcome.passed,)),
    OutcomeGroup("scored", "scored", "◐", "on-deep", (Outcome.scored,)),
    OutcomeGroup("wrong", "wrong", "✗", "on-pale", (Outcome.wrong,)),
    OutcomeGroup("crashed", "exception", "!", "on-deep", (Outcome.exception,)),
    OutcomeGroup(
        "limit",
        "over a limit",
        "∞",
        "on-deep",
        (Outcome.timed_out, Outcome.out_of_memory, Outcome.output_limit),
    ),
    OutcomeGroup(
        "unusable",
        "no usable answer",
        "∅",
        "on-deep",
        (Outcome.no_code, Outcome.syntax_error, Outcome.no_entry_point, Outcome.unparsable),
    ),
    OutcomeGroup("distrust", "tampered or flaky", "⚑", "on-deep", (Outcome.tampered, Outcome.flaky)),
    OutcomeGroup("undecided", "undecided", "?", "on-pale", (Outcome.undecided,)),
    OutcomeGroup("missing", "missing", "–", "on-pale", (Outcome.sandbox_error, Outcome.model_error)),
)
GROUP_OF = {outcome: group for group in GROUPS for outcome in group.outcomes}

# Name of a CSS variable: its values in light and in dark. Checked for contrast by tests.
INK = {
    "paper": ("#fdfcf9", "#171613"),
    "ink": ("#23211d", "#ece8df"),
    "muted": ("#645f55", "#a9a396"),
    "line": ("#e1dcd0", "#3a372f"),
    "on-deep": ("#ffffff", "#14130f"),
    "on-pale": ("#24221e", "#15140e"),
}
FILLS = {
    "passed": ("#2f7a5c", "#5fb892"),
    "wrong": ("#dcab52", "#d6b06a"),
    "crashed": ("#b3522d", "#dd8a66"),
    "limit": ("#79599f", "#b094d2"),
    "unusable": ("#6c7075", "#a0a5aa"),
    "distrust": ("#a1273d", "#e77f90"),
    "missing": ("#d3cec2", "#8a8577"),
}
GRADED = {
    "scored": ("#2c7391", "#74b4d2"),
    "undecided": ("#c6bfe0", "#938bb4"),
}
# One colour for each model, up to their number; shapes and dashes also distinguish models.
MODELS = {
    "model-0": ("#20618d", "#6db3e0"),
    "model-1": ("#b4552f", "#e2946f"),
    "model-2": ("#2f7b5b", "#63b690"),
    "model-3": ("#78589c", "#b396d4"),
    "model-4": ("#8a6d1c", "#cfb054"),
    "model-5": ("#9b3055", "#df7fa0"),
    "model-6": ("#4d6a6d", "#96b5b8"),
    "model-7": ("#5d5446", "#b8ad9a"),
}
# Shares of answers passed, as steps: none, five between, all. Text is written on each: in `ink` on the
# first four, in `heat-ink` on the others, which in the dark theme are bright.
HEAT = {
    "heat-0": ("#f0ece3", "#2a2721"),
    "heat-1": ("#e3f0e9", "#1d3229"),
    "heat-2": ("#cbe6da", "#1f4638"),
    "heat-3": ("#abd7c4", "#226048"),
    "heat-4": ("#88c6ae", "#48936f"),
    "heat-5": ("#66b496", "#66b48c"),
    "heat-6": ("#49a382", "#8fd4ae"),
}
HEAT_INK = {"heat-ink": ("#23211d", "#14130f")}
# Text colours in code, and the ground of code and of changed lines: light, dark.
TONES = {
    "code": ("#f6f3ec", "#1e1d19"),
    "added": ("#dcefe3", "#1d3a2c"),
    "removed": ("#f7dfd9", "#47261f"),
    "tone-green": ("#23694b", "#8fcfae"),
    "tone-gold": ("#7a5a0c", "#d9b962"),
    "tone-violet": ("#6a4496", "#c3a8e6"),
    "tone-blue": ("#1d5c88", "#8cc4ea"),
    "tone-red": ("#9c2338", "#f09aa8"),
}
PLAIN = {**HEAT_INK, **INK, **FILLS, **MODELS, **HEAT}
ALL = {**PLAIN, **GRADED}


def light(name: str) -> str:
    """The light value of a colour, for charts outside a page."""
    return ALL[name][0]


def heat_step(passed: float, judged: int) -> str | None:
    """The colour name of a pass rate; None without judged answers. An answer may pass in part."""
    if judged == 0:
        return None
    if passed in (0, judged):
        return "heat-6" if passed else "heat-0"
    return f"heat-{1 + min(4, int(5 * passed // judged))}"


def css_variables(theme: int, colours: Mapping[str, tuple[str, str]] = PLAIN) -> str:
    """The variables of the light (0) or the dark (1) theme, as CSS declarations."""
    return " ".join(f"--{name}: {values[theme]};" for name, values in colours.items())

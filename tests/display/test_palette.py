"""Colours that can be read: by WCAG's contrast, in both themes."""

from __future__ import annotations

import pytest

from benchwright.display.palette import (
    ALL,
    GRADED,
    GROUP_OF,
    GROUPS,
    HEAT,
    MODELS,
    PLAIN,
    TONES,
    css_variables,
    heat_step,
    light,
)
from benchwright.records import Outcome

THEMES = {"light": 0, "dark": 1}


def luminance(colour: str) -> float:
    """WCAG 2.2's relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours, from 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_can_be_read(theme: int) -> None:
    """Running text, muted text and code have AA's 4.5 on the paper, and code on its own ground too."""
    paper, code = ALL["paper"][theme], TONES["code"][theme]
    tones = [values[theme] for name, values in TONES.items() if name.startswith("tone")]
    on_paper = [contrast(ALL[name][theme], paper) for name in ("ink", "muted", "model-0")]
    on_code = [contrast(colour, code) for colour in (*tones, ALL["ink"][theme], ALL["muted"][theme])]

    assert (min(on_paper) >= 4.5, min(on_code) >= 4.5) == (True, True)


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_text_on_fills_can_be_read(theme: int) -> None:
    """Each outcome's colour carries the text that is written on it, and stands out from the paper."""
    on_fill = [contrast(ALL[group.ink][theme], ALL[group.name][theme]) for group in GROUPS]

    assert min(on_fill) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_numbers_on_the_heat_map_can_be_read(theme: int) -> None:
    """The first four steps carry ink, the others the heat map's own."""
    inks = [ALL["ink" if step < 4 else "heat-ink"][theme] for step in range(len(HEAT))]
    values = [contrast(ink, HEAT[f"heat-{step}"][theme]) for step, ink in enumerate(inks)]

    assert min(values) >= 4.5


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_lines_stand_out_from_the_paper(theme: int) -> None:
    """Each model's colour has the 3 that WCAG asks of graphics."""
    values = [contrast(colours[theme], ALL["paper"][theme]) for colours in MODELS.values()]

    assert min(values) >= 3


@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_the_heat_map_is_a_ladder(theme: int) -> None:
    """From the first step with anything passed to the last, each is further from the paper than the one before."""
    steps = [contrast(HEAT[f"heat-{step}"][theme], ALL["paper"][theme]) for step in range(1, 7)]

    assert steps == sorted(steps)


def test_every_outcome_has_one_group() -> None:
    """No outcome is left without a colour, and none has two; a missing one is not drawn as a failure."""
    named = [outcome for group in GROUPS for outcome in group.outcomes]

    assert (sorted(named), len(GROUP_OF)) == (sorted(Outcome), len(Outcome))
    assert {GROUP_OF[outcome].name for outcome in Outcome if outcome.is_missing} == {"missing"}


def test_signs_tell_groups_apart_without_colour() -> None:
    """No two groups share a sign or a title."""
    assert len({group.sign for group in GROUPS}) == len({group.title for group in GROUPS}) == len(GROUPS)


def test_light_values_are_unlike() -> None:
    """Charts are drawn with light values and the page finds the variable by the value, so none may repeat."""
    values = [light(name) for name in ALL if name != "heat-ink"]

    assert len(values) == len(set(values))


@pytest.mark.parametrize(
    ("passed", "judged", "step"),
    [
        (0, 0, None),
        (0, 10, "heat-0"),
        (1, 1000, "heat-1"),
        (1, 10, "heat-1"),
        (2, 10, "heat-2"),
        (5, 10, "heat-3"),
        (9, 10, "heat-5"),
        (999, 1000, "heat-5"),
        (10, 10, "heat-6"),
        (0.004, 1, "heat-1"),
        (2.7, 4, "heat-4"),
        (3.996, 4, "heat-5"),
        (4.0, 4, "heat-6"),
    ],
)
def test_shares_have_steps(passed: float, judged: int, step: str | None) -> None:
    """None and all have steps of their own, so that one answer of a thousand still shows."""
    assert step == heat_step(passed, judged)


def test_variables_are_css() -> None:
    """Each name is declared once in each theme."""
    declared = css_variables(0).split("; ")

    assert (len(declared), len(css_variables(0, GRADED).split("; "))) == (len(PLAIN), len(GRADED))
    assert "--paper: #fdfcf9" in css_variables(0) and "--paper: #171613" in css_variables(1)

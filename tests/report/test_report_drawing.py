"""Charts: content, reproducible bytes, and names that are only text."""

from __future__ import annotations

import math
import re
import struct
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchwright.contracts import Measure
from benchwright.display.palette import ALL
from benchwright.errors import PrerequisiteError
from benchwright.report import chart_kinds
from benchwright.report.chart_canvas import SHAPES, Canvas, Drawing, round_ticks
from benchwright.report.chart_files import check_installed, draw_figure, save_chart
from benchwright.report.chart_layout import FILE, NARROW, WIDE, text_width
from benchwright.report.run_charts import (
    curve_drawing,
    heat_drawing,
    metric_drawing,
    outcome_drawing,
    prompt_drawing,
)
from benchwright.report.tables import TableLine, curve, task_rows
from kit.reported import STRONG, WEAK, loaded

ROWS = [
    {"name": "<b>&'\"", "value": 85.8, "low": 77.5, "high": 91.4, "said": "first </title><script>"},
    {"name": "datum.value", "value": 10.0, "low": 5.0, "high": 20.0, "said": "second"},
]
FAMILY = Measure(name="pass@k")
PASS = Measure(name="pass@1")
DRAWN = {"svg", "g", "a", "title", "desc", "text", "line", "rect", "path", "circle"}
SAMPLE = Drawing(
    "sample", "A title & more", "What it <shows>", chart_kinds.interval_chart(ROWS, measure=PASS)
)


def test_a_figure_has_two_drawings() -> None:
    """One for wide pages and one for phones, both images with a title and a description."""
    figure = draw_figure(SAMPLE)
    wide, narrow = (ElementTree.fromstring(svg) for svg in (figure.wide, figure.narrow))

    assert [each.get("class") for each in (wide, narrow)] == ["wide", "narrow"]
    assert [each.get("viewBox", "").split()[2] for each in (wide, narrow)] == [
        str(WIDE.width),
        str(NARROW.width),
    ]
    assert [(part.tag, part.text) for part in wide[:2]] == [
        ("title", "A title & more"),
        ("desc", "What it <shows>"),
    ]
    assert wide.get("aria-labelledby") == "sample-wide-title sample-wide-text"


def test_colours_follow_the_theme() -> None:
    """A drawing for the page has no fixed colour: all are variables."""
    figure = draw_figure(SAMPLE)
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', figure.wide))

    assert {each for each in colours if not each.startswith("var(--")} <= {"none", "transparent"}
    assert {each[6:-1] for each in colours if each.startswith("var(")} <= set(ALL)


def test_names_are_text() -> None:
    """Names with markup, and names that look like expressions of the chart language, are unchanged."""
    drawn = ElementTree.fromstring(draw_figure(SAMPLE).wide)
    texts = [each.text for each in drawn.iter("text")]
    tips = [each.text for each in drawn.iter("title")]

    assert {"<b>&'\"", "datum.value"} <= set(texts)
    assert set(tips) == {"A title & more", "first </title><script>", "second"}


@pytest.mark.parametrize("name", ["]]>", "&lt;", "<script>", "\U0001f600" * 20])
def test_hostile_names_are_text(tmp_path: Path, name: str) -> None:
    """As a model, a task and a metric, on the page and in its files."""
    rows = [{"line": 0, "task": 0, "step": "heat-3", "said": f"said {name}", "address": "#task=x&model=y"}]
    share = {"name": name, "value": 50.0, "low": 40.0, "high": 60.0, "said": name}
    for make in (
        chart_kinds.heat_map(rows, [name], [name]),
        chart_kinds.interval_chart([share], measure=Measure(name=name)),
    ):
        drawing = Drawing("chart", name, name, make)
        saved = save_chart(drawing, tmp_path)[0].read_text(encoding="utf-8")
        for svg in (draw_figure(drawing).wide, saved):
            root = ElementTree.fromstring(svg)
            assert name in {each.text for each in root.iter()}
            assert {each.tag.rpartition("}")[2] for each in root.iter()} <= DRAWN


def test_a_cell_is_a_link_on_the_page_alone() -> None:
    """Its sentence is the link's name; a file has no page to link to."""
    rows = [{"line": 0, "task": 0, "step": "heat-3", "said": "m, task t", "address": "#task=t&model=m"}]
    drawing = Drawing("heat", "t", "d", chart_kinds.heat_map(rows, ["m"], ["t"]))
    root = ElementTree.fromstring(draw_figure(drawing).wide)
    links = [(each.get("href"), each[0].text, each[1].tag) for each in root.iter("a")]

    assert links == [("#task=t&model=m", "m, task t", "rect")]
    assert (root.get("role"), draw_figure(SAMPLE).wide.partition('role="')[2][:3]) == ("group", "img")


def test_widths_without_a_bound_are_set() -> None:
    """A name in a script of unknown width is squeezed into its space; others are not changed."""
    rows = [{**ROWS[0], "name": name} for name in ("\ufdfd" * 40, "plain")]
    root = ElementTree.fromstring(
        draw_figure(SAMPLE._replace(make=chart_kinds.interval_chart(rows, measure=Measure(name="m")))).narrow
    )
    widths = {each.text: each.get("textLength") for each in root.iter("text")}
    (fitted,) = [int(found) for text, found in widths.items() if found]

    assert fitted <= NARROW.room
    assert widths["plain"] is None


@pytest.mark.parametrize("room", [120, 165, 230, 800])
@pytest.mark.parametrize("ks", [range(1, 21), (1, 2, 5, 10, 50, 100, 200, 1000), (1, 3, 21)])
def test_ticks_have_room(ks: Sequence[int], room: int) -> None:
    """Numbers under an axis do not overlap in the widest fonts, for any width."""
    log = ks[-1] > 20
    place = math.log if log else float
    ticks = chart_kinds._ticks(ks, room, log=log)
    middles = [room * (place(k) - place(ks[0])) / (place(ks[-1]) - place(ks[0])) for k in ticks]
    needed = [12 * text_width(str(k)) for k in ticks]

    assert ticks[0] == ks[0]
    assert all(b - a >= (p + q) / 2 for (a, p), (b, q) in pairwise(zip(middles, needed, strict=True)))


def test_tooltips_are_for_wide_pages() -> None:
    """Touch screens cannot hover, and a thousand sentences take space."""
    assert [each.text for each in ElementTree.fromstring(draw_figure(SAMPLE).narrow).iter("title")] == [
        "A title & more"
    ]


def test_drawing_is_repeatable() -> None:
    """Equal rows give equal bytes."""
    assert draw_figure(SAMPLE) == draw_figure(SAMPLE)


def test_charts_become_files(tmp_path: Path) -> None:
    """An SVG with its own legend, title and colours, and a PNG of twice the size."""
    svg, png = save_chart(SAMPLE, tmp_path)
    drawn, head = svg.read_text(encoding="utf-8"), png.read_bytes()[:24]
    width, _ = struct.unpack(">II", head[16:24])

    assert (svg.name, png.name, head[:8]) == ("sample.svg", "sample.png", b"\x89PNG\r\n\x1a\n")
    assert ("var(--" in drawn, "A title &amp; more" in drawn, "<script" in drawn) == (False, True, False)
    assert width >= 2 * FILE.width


def test_legends_are_for_files_alone() -> None:
    """On a page the legend is HTML; a file needs its own."""
    rows = [{"line": 0, "group": "passed", "start": 0, "end": 100, "middle": 50, "number": "4", "said": "s"}]
    drawing = Drawing("o", "t", "d", chart_kinds.outcome_chart(rows, ["m"]))
    texts = [
        {each.text for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("text")}
        for svg in (draw_figure(drawing).wide, draw_figure(drawing).narrow)
    ]

    assert all("passed" not in each for each in texts)
    assert "passed" in {each.text for each in drawing.make(FILE).svg().iter("text")}


def test_a_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line has the command that installs it."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(PrerequisiteError, match="not installed") as caught:
        check_installed()

    assert caught.value.hint == "pip install 'benchwright[report]'"


def test_the_shapes_of_models_differ() -> None:
    """Each fits into a square of its area and is drawn at its place."""
    canvas = Canvas(WIDE, height=100, left=0)
    for shape in SHAPES:
        canvas.symbol(shape, (50, 40), 100, "model-0")
    drawn = [each.get("d") for each in canvas.plot.iter("path")]
    points = [
        [tuple(map(float, each.split(","))) for each in path[1:-1].split("L")] for path in drawn if path
    ]

    assert len(set(drawn)) == len(SHAPES) - 1 == len(drawn)
    assert all(45 <= x <= 55 and 35 <= y <= 45 for path in points for x, y in path)
    assert all(max(abs(x - 50) for x, _ in path) > 4 for path in points)
    assert canvas.plot.find("circle").get("r") == "5"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("top", "whole", "expected"),
    [
        (100, False, [0, 20, 40, 60, 80, 100]),
        (3.2, False, [0, 1, 2, 3]),
        (0.5, True, [0]),
        (2, True, [0, 1, 2]),
        (70_000, True, [0, 20_000, 40_000, 60_000]),
        (0.3, False, [0, 0.1, 0.2, 0.3]),
    ],
)
def test_ticks_are_round(top: float, whole: bool, expected: list[float]) -> None:
    """Steps are 1, 2 or 5; counts have whole numbers."""
    assert round_ticks(top, 4, whole=whole) == pytest.approx(expected)


def test_metric_rows_have_their_interval(tmp_path: Path) -> None:
    """The order is kept, each has its sentence; there is no chart for a metric without runs."""
    runs = loaded(tmp_path, strong=STRONG, weak=WEAK)
    lines = [TableLine(run.name, run.score.metrics) for run in runs]
    drawing = metric_drawing(lines, PASS)
    assert drawing is not None
    canvas = drawing.make(WIDE)
    dots = [float(each.get("cx", "")) / canvas.width for each in canvas.plot.iter("circle")]
    names = [each.text for each in canvas.plot.iter("text")]

    assert dots == pytest.approx([0.9375, 0.2292], abs=1e-4)
    assert names.index("strong") < names.index("weak")
    assert drawing.describe.startswith("strong: 93.8 %, interval ")
    assert metric_drawing(lines, Measure(name="pass@99")) is None


def test_bars_add_up(tmp_path: Path) -> None:
    """Each segment of a bar begins at the end of the one before, from 0 to 100."""
    drawing = outcome_drawing(loaded(tmp_path, strong=STRONG, weak=WEAK))
    canvas = drawing.make(WIDE)
    bars = [[float(each.get(key, "")) for key in ("y", "x", "width")] for each in canvas.plot.iter("rect")]
    ends = {y: max(x + width for at, x, width in bars if at == y) for y, _, _ in bars}
    sums = {y: sum(width for at, _, width in bars if at == y) for y, _, _ in bars}
    texts = [each.text for each in ElementTree.fromstring(draw_figure(drawing).wide).iter("text")]

    assert {"45", "11", "37"} <= set(texts)
    assert list(ends.values()) == pytest.approx([canvas.width] * 2, abs=0.01)
    assert list(sums.values()) == pytest.approx([canvas.width] * 2, abs=0.05)
    assert "strong: 45 of 48 answers passed" in drawing.describe


def test_curves_stop_where_they_would_hide_one_another(tmp_path: Path) -> None:
    """There is no chart without curves, and none with too many: the table is clearer."""
    (line,) = curve(loaded(tmp_path, strong=STRONG))

    assert curve_drawing([], FAMILY) is None
    assert curve_drawing([TableLine(f"m{number}", line.metrics) for number in range(13)], FAMILY) is None
    assert curve_drawing([line], FAMILY) is not None


def test_many_models_keep_apart(tmp_path: Path) -> None:
    """Eight have a colour and a shape each; with more, dashes distinguish them."""
    (line,) = curve(loaded(tmp_path, strong=STRONG))
    drawing = curve_drawing([TableLine(f"m{number}", line.metrics) for number in range(12)], FAMILY)
    assert drawing is not None
    lines = [each for each in drawing.make(WIDE).plot.iter("path") if each.get("stroke-width")]
    looks = [(each.get("stroke"), each.get("stroke-dasharray")) for each in lines if "L" in each.get("d", "")]

    assert len(set(looks)) == 12


def test_the_heat_map_counts_what_nobody_solved(tmp_path: Path) -> None:
    """Its description states in words what is visible."""
    runs = loaded(tmp_path, a=[0, 4, 1], b=[0, 4, 0])
    rows = task_rows(["Small/0", "Small/1", "Small/2"], runs)

    assert heat_drawing(rows, runs).describe == ("3 tasks, the hardest first; 1 never passed by any model")


def test_one_prompt_is_no_effect(tmp_path: Path) -> None:
    """A chart of prompts needs two of them."""
    (run,) = loaded(tmp_path, a=STRONG)
    metrics = run.score.metrics

    assert prompt_drawing(run, [TableLine("en-01", metrics)], PASS, 0) is None
    assert (
        prompt_drawing(run, [TableLine("en-01", metrics), TableLine("en-02", metrics)], PASS, 0) is not None
    )

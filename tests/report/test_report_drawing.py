"""Charts: what is drawn, that it is the same each time, and that nothing but a drawing comes through."""

from __future__ import annotations

import builtins
import json
import math
import re
import struct
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from benchwright.contracts import Measure
from benchwright.display.palette import ALL
from benchwright.errors import PrerequisiteError
from benchwright.report import chart_kinds
from benchwright.report.chart_files import (
    ChartCleaner,
    ChartError,
    check_installed,
    clean_svg,
    draw_figure,
    save_chart,
)
from benchwright.report.chart_layout import (
    FILE,
    NARROW,
    WIDE,
    Drawing,
    text_width,
    vega_lite_document,
)
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
    """No colour of the light theme is left in a drawing for the page: all are variables."""
    figure = draw_figure(SAMPLE)
    colours = set(re.findall(r'(?:fill|stroke)="([^"]+)"', figure.wide))

    assert {each for each in colours if not each.startswith("var(--")} <= {"none", "transparent"}
    assert {each[6:-1] for each in colours if each.startswith("var(")} <= set(ALL)


def test_names_are_text() -> None:
    """Names with markup, and names that look like expressions of the chart language, are drawn as they are."""
    drawn = ElementTree.fromstring(draw_figure(SAMPLE).wide)
    texts = [each.text for each in drawn.iter("text")]
    tips = [each.text for each in drawn.iter("title")]

    assert {"<b>&'\"", "datum.value"} <= set(texts)
    assert set(tips) == {"A title & more", "first </title><script>", "second"}


HOSTILE = ["constructor", "toString", "valueOf", "hasOwnProperty", "__proto__", "text-0", "\U0001f600" * 20]


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_reaches_the_chart_library(tmp_path: Path, name: str) -> None:
    """As a model, a task and a metric: its document has stand-ins alone, the drawing and its files the name."""
    rows = [{"line": 0, "task": 0, "step": "heat-3", "said": f"said {name}", "address": "#task=x&model=y"}]
    share = {"name": name, "value": 50.0, "low": 40.0, "high": 60.0, "said": name}
    for make in (
        chart_kinds.heat_map(rows, [name], [name]),
        chart_kinds.interval_chart([share], measure=Measure(name=name)),
    ):
        drawing = Drawing("chart", name, name, make)
        texts = {each.text for each in ElementTree.fromstring(draw_figure(drawing).wide).iter()}
        saved = save_chart(drawing, tmp_path)[0].read_text(encoding="utf-8")

        assert name == "text-0" or name not in json.dumps(vega_lite_document(make(WIDE)), ensure_ascii=False)
        assert (name in texts, name in saved) == (True, True)


def test_a_cell_is_a_link_on_the_page_alone() -> None:
    """With its sentence as the link's name; a file has no page to lead to."""
    rows = [{"line": 0, "task": 0, "step": "heat-3", "said": "m, task t", "address": "#task=t&model=m"}]
    drawing = Drawing("heat", "t", "d", chart_kinds.heat_map(rows, ["m"], ["t"]))
    root = ElementTree.fromstring(draw_figure(drawing).wide)
    links = [(each.get("href"), each[0].text, each[1].tag) for each in root.iter("a")]

    assert links == [("#task=t&model=m", "m, task t", "path")]
    assert (root.get("role"), draw_figure(SAMPLE).wide.partition('role="')[2][:3]) == ("group", "img")


def test_widths_without_a_bound_are_set() -> None:
    """A name in a script whose width nobody knows is drawn in the room that was reckoned with; others are free."""
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
    """Numbers under an axis keep apart by the widest fonts there are, whatever its width."""
    log = ks[-1] > 20
    place = math.log if log else float
    ticks = chart_kinds._ticks(ks, room, log=log)
    middles = [room * (place(k) - place(ks[0])) / (place(ks[-1]) - place(ks[0])) for k in ticks]
    needed = [12 * text_width(str(k)) for k in ticks]

    assert ticks[0] == ks[0]
    assert all(b - a >= (p + q) / 2 for (a, p), (b, q) in pairwise(zip(middles, needed, strict=True)))


def test_tooltips_are_for_wide_pages() -> None:
    """A finger cannot hover, and a thousand sentences have their weight."""
    assert [each.text for each in ElementTree.fromstring(draw_figure(SAMPLE).narrow).iter("title")] == [
        "A title & more"
    ]


def test_drawing_is_repeatable() -> None:
    """The same rows give the same bytes."""
    assert draw_figure(SAMPLE) == draw_figure(SAMPLE)


def test_only_a_drawing_comes_through() -> None:
    """Scripts, links, styles, handlers and addresses are left out, whoever put them into the drawing."""
    hostile = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink" onload="a()" viewBox="0 0 1 1">'
        '<script>alert(1)</script><style>*{}</style><a x:href="javascript:a()"><text>link</text></a>'
        '<image href="https://example.invalid/x.png"/><foreignObject><p>html</p></foreignObject>'
        '<rect width="1" style="fill:red" fill="url(https://example.invalid)" onclick="a()" x="1.23456"/>'
        '<g display="none"><text>hidden</text></g><animate attributeName="x"/><set/></svg>'
    )
    cleaned = ElementTree.fromstring(
        clean_svg(hostile, ChartCleaner({}), name="a-wide", title="t", describe="d")
    )

    assert [each.tag for each in cleaned.iter()] == ["svg", "title", "desc", "rect"]
    assert cleaned.find("rect").attrib == {"width": "1", "x": "1.23"}  # type: ignore[union-attr]
    assert "onload" not in cleaned.attrib


def test_what_is_no_drawing_is_refused() -> None:
    """Rather an error than a page with something unknown in it."""
    with pytest.raises(ChartError, match="not SVG"):
        clean_svg("<html/>", ChartCleaner({}), name="a-wide", title="t", describe="d")


def test_charts_become_files(tmp_path: Path) -> None:
    """An SVG with its own legend, title and colours, and a PNG of twice the size."""
    svg, png = save_chart(SAMPLE, tmp_path)
    drawn, head = svg.read_text(encoding="utf-8"), png.read_bytes()[:24]
    width, _ = struct.unpack(">II", head[16:24])

    assert (svg.name, png.name, head[:8]) == ("sample.svg", "sample.png", b"\x89PNG\r\n\x1a\n")
    assert ("var(--" in drawn, "A title &amp; more" in drawn, "<script" in drawn) == (False, True, False)
    assert width >= 2 * FILE.width


def test_legends_are_for_files_alone() -> None:
    """On a page the legend is HTML; a file has nothing but itself."""
    rows = [{"line": 0, "group": "passed", "start": 0, "end": 100, "middle": 50, "number": "4", "said": "s"}]
    drawing = Drawing("o", "t", "d", chart_kinds.outcome_chart(rows, ["m"]))
    texts = [
        {each.text for each in ElementTree.fromstring(svg).iter() if each.tag.endswith("text")}
        for svg in (draw_figure(drawing).wide, draw_figure(drawing).narrow)
    ]

    assert all("passed" not in each for each in texts)
    assert "legend" in str(vega_lite_document(drawing.make(FILE))["layer"][0]["encoding"]["color"])


def test_a_missing_extra_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, with the command that installs it."""
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.split(".", maxsplit=1)[0] == "vl_convert":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(PrerequisiteError, match="not installed") as caught:
        check_installed()

    assert caught.value.hint == "pip install 'benchwright[report]'"


def test_metric_rows_have_their_interval(tmp_path: Path) -> None:
    """In the order given, with the sentence of each; no chart for a metric that no run has."""
    runs = loaded(tmp_path, strong=STRONG, weak=WEAK)
    lines = [TableLine(run.name, run.score.metrics) for run in runs]
    drawing = metric_drawing(lines, PASS)
    assert drawing is not None
    plot = drawing.make(WIDE)
    made = vega_lite_document(plot)
    rows = made["data"]["values"]

    assert [(plot.texts.held[row["name"]].text, round(row["value"], 2)) for row in rows] == [
        ("strong", 93.75),
        ("weak", 22.92),
    ]
    assert drawing.describe.startswith("strong: 93.8 %, interval ")
    assert metric_drawing(lines, Measure(name="pass@99")) is None


def test_bars_add_up(tmp_path: Path) -> None:
    """The segments of a bar begin where the one before ends, from 0 to 100."""
    drawing = outcome_drawing(loaded(tmp_path, strong=STRONG, weak=WEAK))
    texts = [each.text for each in ElementTree.fromstring(draw_figure(drawing).wide).iter("text")]

    assert {"45", "11", "37"} <= set(texts)
    assert "strong: 45 of 48 answers passed" in drawing.describe


def test_curves_stop_where_they_would_hide_one_another(tmp_path: Path) -> None:
    """No curve for no lines, and none for a crowd: the table says it better."""
    (line,) = curve(loaded(tmp_path, strong=STRONG))

    assert curve_drawing([], FAMILY) is None
    assert curve_drawing([TableLine(f"m{number}", line.metrics) for number in range(13)], FAMILY) is None
    assert curve_drawing([line], FAMILY) is not None


def test_many_models_keep_apart(tmp_path: Path) -> None:
    """Eight have a colour and a shape each; with more, dashes begin to tell them apart."""
    (line,) = curve(loaded(tmp_path, strong=STRONG))
    drawing = curve_drawing([TableLine(f"m{number}", line.metrics) for number in range(12)], FAMILY)
    assert drawing is not None
    encodings = vega_lite_document(drawing.make(WIDE))["layer"]
    dashes = encodings[1]["encoding"]["strokeDash"]["scale"]["range"]
    hues = encodings[0]["encoding"]["color"]["scale"]["range"]

    assert len(set(zip(hues, map(tuple, dashes), strict=True))) == 12


def test_the_heat_map_counts_what_nobody_solved(tmp_path: Path) -> None:
    """Its description says in words what the eye sees first."""
    runs = loaded(tmp_path, a=[0, 4, 1], b=[0, 4, 0])
    rows = task_rows(["Small/0", "Small/1", "Small/2"], runs)

    assert heat_drawing(rows, runs).describe == ("3 tasks, the hardest first; 1 never passed by any model")


def test_one_prompt_is_no_effect(tmp_path: Path) -> None:
    """A chart of prompts begins with two of them."""
    (run,) = loaded(tmp_path, a=STRONG)
    metrics = run.score.metrics

    assert prompt_drawing(run, [TableLine("en-01", metrics)], PASS, 0) is None
    assert (
        prompt_drawing(run, [TableLine("en-01", metrics), TableLine("en-02", metrics)], PASS, 0) is not None
    )

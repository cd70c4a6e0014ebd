"""The kinds of charts: Vega-Lite descriptions of plain rows.

Rows refer to names by number. Names, and sentences with names, enter the chart as placeholders (see
`canvas`), so any name of a model or task is drawn as text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from benchwright.contracts import Measure
from benchwright.display.palette import GROUPS, HEAT, MODELS, light
from benchwright.display.wording import counted
from benchwright.report.chart_layout import (
    GAP,
    LETTER,
    TICKS,
    TITLE,
    Part,
    Plot,
    Row,
    Size,
    Texts,
    chart_data,
    fitted_text,
    inner_width,
    mark,
    model_axis,
    names,
    numbers,
    percent_axis,
    text_width,
    x_axis_title,
)

Make = Callable[[Size], Plot]
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "stroke")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 3, 2, 3])
HEAT_NAMES = ("none passed", "up to 20 %", "40 %", "60 %", "80 %", "below 100 %", "all passed")
GRADE_NAMES = ("0", "up to 20 %", "40 %", "60 %", "80 %", "below 100 %", "100 %")
UNDER = 110  # pixels for the name of a task under its column
COLUMN = 18  # pixels of a column wide enough for a name under it


def interval_chart(rows: Sequence[Row], *, measure: Measure) -> Make:
    """A dot with its interval for each row {name, value, low, high, said}, in the given order."""

    def make(size: Size) -> Plot:
        texts = Texts()
        labels = texts.labels([row["name"] for row in rows], size.room)
        placed = [
            {**row, "name": label, "said": texts.add(row["said"])}
            for row, label in zip(rows, labels, strict=True)
        ]
        base = {"y": model_axis(labels), "description": names("said")}
        scale = {"domain": [0, 100]}
        title = _title(texts, f"{measure.title} with its 95 % interval", size)
        sign = " %" if measure.scale == "share" else ""
        axis = percent_axis(title, step=20 if size.is_wide else 50, sign=sign, **x_axis_title())
        ends = {"x": numbers("low", scale=scale, axis=axis), "x2": {"field": "high"}}
        bars = mark("rule", {**base, **ends}, strokeWidth=3, color=light("model-0"), opacity=0.4)
        middle = {**base, "x": numbers("value", scale=scale)}
        dots = mark("point", middle, filled=True, size=90, color=light("model-0"), opacity=1)
        chart = {"data": chart_data(placed), "layer": [bars, dots]}
        return _plot(chart, texts, size, labels=labels, height=30 * len(labels))

    return make


def outcome_chart(rows: Sequence[Row], models: Sequence[str]) -> Make:
    """Stacked bars of rows {line, group, start, end, middle, number, said}, in per cent."""
    used = [group for group in GROUPS if any(row["group"] == group.title for row in rows)]
    domain, hues = [group.title for group in used], [light(group.name) for group in used]

    def make(size: Size) -> Plot:
        texts = Texts()
        labels = texts.labels(models, size.room)
        placed = [_with_placeholders(row, labels, texts) for row in rows]
        legend = _legend(columns=4, symbolType="square") if size.legend else None
        base = {"y": model_axis(labels), "description": names("said")}
        axis = percent_axis("share of answers", step=20 if size.is_wide else 50, **x_axis_title())
        encoding = {
            **base,
            "x": numbers("start", scale={"domain": [0, 100]}, axis=axis),
            "x2": {"field": "end"},
            "color": names("group", scale={"domain": domain, "range": hues}, legend=legend),
        }
        bars = mark("bar", encoding, height=24, stroke=light("paper"), strokeWidth=1)
        room = inner_width(size, _left_margin(labels, texts))
        chart = {"layer": [{"data": chart_data(placed), **bars}, *_numbers(base, placed, room)]}
        above = math.ceil(len(used) / 4) if size.legend else 0
        return _plot(chart, texts, size, labels=labels, height=36 * len(labels), legend=above)

    return make


def _numbers(base: Part, rows: Sequence[Row], room: int) -> list[Part]:
    """Counts on bars that are wide enough, dark on pale colours and light on deep ones."""
    layers = []
    for ink in ("on-deep", "on-pale"):
        titles = {group.title for group in GROUPS if group.ink == ink}
        fitting = [row for row in rows if row["group"] in titles and _fits(row, room)]
        if fitting:
            encoding = {**base, "x": numbers("middle"), "text": names("number")}
            text = mark("text", encoding, color=light(ink), fontSize=LETTER, aria=False)
            layers.append({"data": chart_data(fitting), **text})
    return layers


def _fits(row: Row, room: int) -> bool:
    """Whether a bar is wide enough for its number."""
    bar = (row["end"] - row["start"]) / 100 * room
    return bool(bar >= LETTER * text_width(str(row["number"])) + 6)


def curve_chart(rows: Sequence[Row], models: Sequence[str], *, measure: Measure) -> Make:
    """Lines with bands of rows {line, k, value, low, high, said}.

    Models differ in colour and shape, and beyond the number of colours in dashes; see `look`.
    """
    ks = sorted({row["k"] for row in rows})

    def make(size: Size) -> Plot:
        texts = Texts()
        labels = texts.labels(models, size.width - 80)
        colour, shape, dash = _line_styles(labels, legend=size.legend)
        left = 58 + TITLE
        log = ks[-1] > 20
        scale = {"type": "log" if log else "linear", "domain": [ks[0], ks[-1]], "nice": False}
        ticks = _ticks(ks, inner_width(size, left), log=log)
        title = "k: answers tried to a task"
        axis = {"title": title, "values": ticks, "grid": False, "format": "d", **x_axis_title()}
        data = chart_data([_with_placeholders(row, labels, texts) for row in rows])
        base = {"x": numbers("k", scale=scale, axis=axis), "color": colour}
        percents = percent_axis(f"{measure.title} with its 95 % interval", titleX=-64)
        low = numbers("low", scale={"domain": [0, 100]}, axis=percents)
        value = {**base, "y": numbers("value")}
        told = {"shape": shape, "description": names("said")}
        layers = [
            mark("area", {**base, "y": low, "y2": {"field": "high"}}, opacity=0.13, aria=False),
            mark("line", {**value, "strokeDash": dash}, strokeWidth=2, aria=False),
            mark("point", {**value, **told}, filled=True, size=46, opacity=1),
        ]
        height = 320 if size.is_wide else 280
        above = len(models) if size.legend else 0
        chart = {"data": data, "layer": layers}
        return _plot(chart, texts, size, left=left, height=height, legend=above)

    return make


def line_style(number: int) -> tuple[str, str, list[int]]:
    """The colour, shape and dashes of the model with this number."""
    dashes = DASHES[(number // len(MODELS)) % len(DASHES)]
    return f"model-{number % len(MODELS)}", SHAPES[number % len(SHAPES)], dashes


def _line_styles(labels: list[str], *, legend: bool) -> tuple[Part, Part, Part]:
    """Colour, shape and dash scales of the models, with one legend for colour and shape."""
    shown = _legend(columns=1, symbolOpacity=1) if legend else None
    hues, shapes, dashes = zip(*map(line_style, range(len(labels))), strict=True)
    return (
        names("name", scale={"domain": labels, "range": [light(hue) for hue in hues]}, legend=shown),
        names("name", scale={"domain": labels, "range": list(shapes)}, legend=shown),
        names("name", scale={"domain": labels, "range": list(dashes)}, legend=None),
    )


def _legend(**options: object) -> Part:
    return {"orient": "top", "title": None, **options}


def _ticks(ks: Sequence[int], room: int, *, log: bool) -> list[int]:
    """The values of k on the axis: all if they are few, else round ones that do not overlap."""
    known = ks if ks[-1] <= 20 else [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k <= ks[-1]]
    place = math.log if log else float
    whole = place(ks[-1]) - place(ks[0]) or 1
    taken: list[int] = []
    end = -math.inf
    for k in known:
        middle, half = room * (place(k) - place(ks[0])) / whole, LETTER * text_width(str(k)) / 2
        if k >= ks[0] and middle - half > end:
            taken.append(k)
            end = middle + half + 3
    return taken


def heat_map(
    rows: Sequence[Row], models: Sequence[str], tasks: Sequence[str], *, steps: Sequence[str] = HEAT_NAMES
) -> Make:
    """A heat map of rows {line, task, step, said, address}; `task` is a number.

    `step` is a colour of the palette, named in the legend as in `steps`; `address` opens the answers of a
    cell.
    """

    def make(size: Size) -> Plot:
        texts = Texts()
        labels = texts.labels(models, size.room)
        left = _left_margin(labels, texts)
        few = inner_width(size, left) >= COLUMN * len(tasks)  # few enough for names under the columns
        columns = texts.labels(tasks, UNDER) if few else [f"column-{number}" for number in range(len(tasks))]
        depth = texts.widest(columns) + GAP if few else 0
        axis = {
            "labels": few,
            "ticks": False,
            "domain": False,
            "labelAngle": -90,
            "title": f"{counted(len(tasks), 'task')}, the hardest first",
            **x_axis_title(titleY=depth + 6),
        }
        linked = size.is_wide or few
        placed = [
            {**_with_placeholders(row, labels, texts, linked=linked), "task": columns[row["task"]]}
            for row in rows
        ]
        encoding = {
            "x": names("task", axis=axis, scale={"domain": columns, "paddingInner": 0.08 if few else 0}),
            "y": model_axis(labels, paddingInner=0.12),
            "color": _heat_colour(steps, legend=size.legend),
            "description": names("said"),
        }
        chart = {"data": chart_data(placed), **mark("rect", encoding)}
        height, above = 30 * len(labels), 1 if size.legend else 0
        return _plot(chart, texts, size, left=left, height=height, legend=above, under=depth)

    return make


def histogram_chart(rows: Sequence[Row], models: Sequence[str]) -> Make:
    """A histogram of rows {line, start, share, said}: the share of answers from `start` per cent."""
    starts = sorted({row["start"] for row in rows})

    def make(size: Size) -> Plot:
        texts = Texts()
        labels = texts.labels(models, size.width - 80)
        hues = [light(line_style(number)[0]) for number in range(len(labels))]
        placed = [_with_placeholders(row, labels, texts) for row in rows]
        title = {"title": "total, from this per cent on", **x_axis_title()}
        encoding = {
            "x": {
                "field": "start",
                "type": "ordinal",
                "scale": {"domain": starts, "paddingInner": 0.15, "paddingOuter": 0.05},
                "axis": {**title, "labelAngle": 0, "grid": False},
            },
            "xOffset": names("name", scale={"domain": labels}),
            "y": numbers("share", axis=percent_axis("share of answers", titleX=-64)),
            "color": names("name", scale={"domain": labels, "range": hues}, legend=None),
            "description": names("said"),
        }
        chart = {"data": chart_data(placed), **mark("bar", encoding)}
        return _plot(chart, texts, size, left=58 + TITLE, height=200)

    return make


def _heat_colour(steps: Sequence[str], *, legend: bool) -> Part:
    named = ", ".join(f"'{step}': '{name}'" for step, name in zip(HEAT, steps, strict=True))
    expression = f"{{{named}}}[datum.value]"
    shown = _legend(columns=7, symbolType="square", labelExpr=expression)
    scale = {"domain": list(HEAT), "range": [light(step) for step in HEAT]}
    return names("step", scale=scale, legend=shown if legend else None)


def _with_placeholders(row: Row, labels: Sequence[str], texts: Texts, *, linked: bool = False) -> Part:
    """A row with placeholders for its name, its sentence and its address."""
    kept = {key: row[key] for key in row if key not in ("line", "address")}
    said = texts.add(row["said"], address=row["address"] if linked else "")
    return {**kept, "name": labels[row["line"]], "said": said}


def _left_margin(labels: Sequence[str], texts: Texts) -> int:
    return texts.widest(labels) + GAP + 4


def _title(texts: Texts, title: str, size: Size) -> str:
    """The placeholder of an axis title; names of metrics may come from files."""
    return texts.add(fitted_text(title, inner_width(size, 0) / LETTER))


def _plot(
    chart: Part,
    texts: Texts,
    size: Size,
    *,
    height: int,
    labels: Sequence[str] = (),
    left: int = 0,
    legend: int = 0,
    under: int = TICKS,
) -> Plot:
    left = left or _left_margin(labels, texts)
    return Plot(chart, texts, inner_width(size, left), height, left, under + TITLE + 6, legend)

"""The kinds of charts, drawn from plain rows. Rows refer to names by number."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchwright.contracts import Measure
from benchwright.display.palette import GROUPS, HEAT, MODELS
from benchwright.display.wording import counted
from benchwright.report.chart_canvas import SHAPES, Canvas, Tip, label_margin, round_ticks, widest
from benchwright.report.chart_layout import (
    GAP,
    LETTER,
    TITLE,
    Size,
    inner_width,
    shortened_text,
    text_width,
)

Make = Callable[[Size], Canvas]
Row = Mapping[str, Any]
DASHES = ([1, 0], [6, 2], [2, 2], [8, 3, 2, 3])
HEAT_NAMES = ("none passed", "up to 20 %", "40 %", "60 %", "80 %", "below 100 %", "all passed")
GRADE_NAMES = ("0", "up to 20 %", "40 %", "60 %", "80 %", "below 100 %", "100 %")
UNDER = 110  # pixels for the name of a task under its column
COLUMN = 18  # pixels of a column wide enough for a name under it
_LEFT = 58 + TITLE  # margin of charts with a vertical axis of per cent
_BAR, _RULE = 24, 3  # pixels
_DOT, _POINT = 90, 46  # areas of marks


def interval_chart(rows: Sequence[Row], *, measure: Measure) -> Make:
    """A dot with its interval for each row {name, value, low, high, said}, in the given order."""

    def make(size: Size) -> Canvas:
        labels = _labels([row["name"] for row in rows], size)
        canvas = Canvas(size, height=30 * len(labels), left=label_margin(labels))
        sign = " %" if measure.scale == "share" else ""
        canvas.x_axis(_percents(canvas, sign), f"{measure.title} with its 95 % interval")
        placed = list(zip(rows, canvas.names_axis(labels), strict=True))
        scale, colour = canvas.width / 100, canvas.colour("model-0")
        for row, y in placed:
            ends = {"x1": row["low"] * scale, "x2": row["high"] * scale, "y1": y, "y2": y}
            canvas.add("line", Tip(row["said"]), **ends, stroke=colour, stroke_width=_RULE, opacity=0.4)
        for row, y in placed:
            canvas.symbol("circle", (row["value"] * scale, y), _DOT, "model-0", Tip(row["said"]))
        return canvas

    return make


def outcome_chart(rows: Sequence[Row], models: Sequence[str]) -> Make:
    """Stacked bars of rows {line, group, start, end, number, said}, in per cent.

    A bar that is wide enough has its number, dark on pale colours and light on deep ones.
    """
    groups = {group.title: group for group in GROUPS if any(row["group"] == group.title for row in rows)}

    def make(size: Size) -> Canvas:
        labels, columns = _labels(models, size), 4
        above = math.ceil(len(groups) / columns) if size.legend else 0
        canvas = Canvas(size, height=36 * len(labels), left=label_margin(labels), legend=above)
        canvas.legend([(group.title, group.name, "square") for group in groups.values()], columns)
        canvas.x_axis(_percents(canvas, " %"), "share of answers")
        middles, scale = canvas.names_axis(labels), canvas.width / 100
        for row in rows:
            y, x, width = middles[row["line"]], row["start"] * scale, (row["end"] - row["start"]) * scale
            group = groups[row["group"]]
            canvas.rect(x, y - _BAR / 2, width, _BAR, group.name, Tip(row["said"]), edge="paper")
            if width >= LETTER * text_width(row["number"]) + 6:
                canvas.text(x + width / 2, y, row["number"], anchor="middle", ink=group.ink)
        return canvas

    return make


def curve_chart(rows: Sequence[Row], models: Sequence[str], *, measure: Measure) -> Make:
    """Lines with bands of rows {line, k, value, low, high, said}, sorted by k.

    Models differ in colour and shape, and beyond the number of colours in dashes; see `line_style`.
    """
    ks = sorted({row["k"] for row in rows})
    log = ks[-1] > 20
    lines = [[row for row in rows if row["line"] == line] for line in range(len(models))]

    def make(size: Size) -> Canvas:
        height, above = 320 if size.is_wide else 280, len(models) if size.legend else 0
        canvas = Canvas(size, height=height, left=_LEFT, legend=above)
        canvas.legend(_line_legend(models, size), 1)
        place = _position(ks, canvas.width, log=log)
        ticks = [(place(k), str(k)) for k in _ticks(ks, canvas.width, log=log)]
        canvas.percent_axis(f"{measure.title} with its 95 % interval")
        canvas.x_axis(ticks, "k: answers tried to a task", grid=False)
        for draw in (_band, _line, _points):
            for number, line in enumerate(lines):
                draw(canvas, line, number, place)
        return canvas

    return make


def _band(canvas: Canvas, rows: Sequence[Row], number: int, place: Callable[[float], float]) -> None:
    """The area between the ends of the intervals."""
    low = [(place(row["k"]), _height(canvas, row["low"])) for row in rows]
    high = [(place(row["k"]), _height(canvas, row["high"])) for row in reversed(rows)]
    colour = canvas.colour(line_style(number)[0])
    canvas.path([*low, *high], closed=True, fill=colour, opacity=0.13)


def _line(canvas: Canvas, rows: Sequence[Row], number: int, place: Callable[[float], float]) -> None:
    colour, _, dashes = line_style(number)
    points = [(place(row["k"]), _height(canvas, row["value"])) for row in rows]
    dashed = ",".join(map(str, dashes)) if dashes[1] else None
    canvas.path(points, stroke=canvas.colour(colour), stroke_width=2, stroke_dasharray=dashed)


def _points(canvas: Canvas, rows: Sequence[Row], number: int, place: Callable[[float], float]) -> None:
    colour, shape, _ = line_style(number)
    for row in rows:
        at = (place(row["k"]), _height(canvas, row["value"]))
        canvas.symbol(shape, at, _POINT, colour, Tip(row["said"]))


def _height(canvas: Canvas, percent: float) -> float:
    return canvas.height * (1 - percent / 100)


def line_style(number: int) -> tuple[str, str, list[int]]:
    """The colour, shape and dashes of the model with this number."""
    dashes = DASHES[(number // len(MODELS)) % len(DASHES)]
    return f"model-{number % len(MODELS)}", SHAPES[number % len(SHAPES)], dashes


def _line_legend(models: Sequence[str], size: Size) -> list[tuple[str, str, str]]:
    names = shortened_text(models, (size.width - 80) / LETTER)
    return [(name, *line_style(number)[:2]) for number, name in enumerate(names)]


def _position(ks: Sequence[int], width: float, *, log: bool) -> Callable[[float], float]:
    """The position of a k on an axis of this width."""
    scale = math.log if log else float
    whole = scale(ks[-1]) - scale(ks[0]) or 1
    return lambda k: width * (scale(k) - scale(ks[0])) / whole


def _ticks(ks: Sequence[int], room: int, *, log: bool) -> list[int]:
    """The values of k on the axis: all if they are few, else round ones that do not overlap."""
    known = ks if ks[-1] <= 20 else [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k <= ks[-1]]
    place, shown_ks, end = _position(ks, room, log=log), list[int](), -math.inf
    for k in known:
        half = LETTER * text_width(str(k)) / 2
        if k >= ks[0] and place(k) - half > end:
            shown_ks.append(k)
            end = place(k) + half + 3
    return shown_ks


def heat_map(
    rows: Sequence[Row], models: Sequence[str], tasks: Sequence[str], *, steps: Sequence[str] = HEAT_NAMES
) -> Make:
    """A heat map of rows {line, task, step, said, address}; `task` is a number.

    `step` is a colour of the palette, named in the legend as in `steps`; `address` opens the answers of a
    cell.
    """

    def make(size: Size) -> Canvas:
        labels = _labels(models, size)
        left = label_margin(labels)
        few = inner_width(size, left) >= COLUMN * len(tasks)  # few enough for names under the columns
        names = shortened_text(tasks, UNDER / LETTER) if few else []
        depth = widest(names) + GAP if few else 0
        height, above = 30 * len(labels), 1 if size.legend else 0
        canvas = Canvas(size, height=height, left=left, under=depth, legend=above)
        marks = [(name, step, "square") for name, step in zip(steps, HEAT, strict=True)]
        canvas.legend(marks, len(marks))
        canvas.names_axis(labels)
        step = canvas.width / max(1, len(tasks))
        for number, name in enumerate(names):
            canvas.text((number + 0.5) * step + 4, height + 2.5, name, anchor="end", turned=True)
        canvas.x_title(f"{counted(len(tasks), 'task')}, the hardest first", depth + 2)
        gap, has_links = 0.08 if few else 0, size.is_wide or few
        for row in rows:
            x, y = (row["task"] + gap / 2) * step, 30 * (row["line"] + 0.06)
            tip = Tip(row["said"], row["address"] if has_links else "")
            canvas.rect(x, y, step * (1 - gap), 30 * 0.88, row["step"], tip)
        return canvas

    return make


def histogram_chart(rows: Sequence[Row], models: Sequence[str]) -> Make:
    """A histogram of rows {line, start, share, said}: the share of answers from `start` per cent."""
    starts = sorted({row["start"] for row in rows})
    ticks = round_ticks(max(row["share"] for row in rows) or 1, 5)
    step = ticks[1] - ticks[0]
    top = step * math.ceil(max(row["share"] for row in rows) / step - 1e-9) or step

    def make(size: Size) -> Canvas:
        above = len(models) if size.legend and len(models) > 1 else 0
        canvas = Canvas(size, height=200, left=_LEFT, legend=above)
        if above:
            canvas.legend([(name, hue, "square") for name, hue, _ in _line_legend(models, size)], 1)
        canvas.percent_axis("share of answers", top, step)
        column = canvas.width / len(starts)
        middles = [((number + 0.5) * column, str(start)) for number, start in enumerate(starts)]
        canvas.x_axis(middles, "total, from this per cent on", grid=False)
        bar = column * 0.86 / len(models)
        for row in rows:
            x = (starts.index(row["start"]) + 0.07) * column + row["line"] * bar
            tall = canvas.height * row["share"] / top
            hue = line_style(row["line"])[0]
            canvas.rect(x, canvas.height - tall, bar, tall, hue, Tip(row["said"]))
        return canvas

    return make


def _labels(models: Sequence[str], size: Size) -> list[str]:
    return shortened_text(models, size.room / LETTER)


def _percents(canvas: Canvas, sign: str) -> list[tuple[float, str]]:
    """Ticks from 0 to 100; `sign` follows each number."""
    step = 20 if canvas.size.is_wide else 50
    return [(each * canvas.width / 100, f"{each}{sign}") for each in range(0, 101, step)]

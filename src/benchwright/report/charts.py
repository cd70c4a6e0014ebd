"""What the charts say: each a Vega-Lite description made with altair, from plain rows.

Names from outside are data values only, never field names or expressions, so a model called
"datum.x; …" is drawn as that text. Field names and titles are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchwright.report.canvas import PIXELS, Row, Size, altair, data, models, per_cent
from benchwright.report.palette import GROUPS, HEAT, MODELS, light
from benchwright.report.wording import count, shortened

Make = Callable[[Size], Any]
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "stroke")
DASHES = ([1, 0], [6, 2], [2, 2], [8, 3, 2, 3])
HEAT_NAMES = ("none passed", "up to 20 %", "40 %", "60 %", "80 %", "below 100 %", "all passed")
_STEPS = ", ".join(f"'{step}': '{name}'" for step, name in zip(HEAT, HEAT_NAMES, strict=True))


def intervals(rows: Sequence[Row], *, metric: str) -> Make:
    """A dot with its interval for each row {name, value, low, high, said}, in the order given."""

    def make(size: Size) -> Any:
        alt = altair()
        labels = shortened([row["name"] for row in rows], size.letters)
        base = alt.Chart(data(rows, labels)).encode(y=models(labels), description="said:N")
        scale = alt.Scale(domain=[0, 100])
        axis = per_cent(f"{metric} with its 95 % interval", step=20 if size.is_wide else 50)
        bars = base.mark_rule(strokeWidth=3, color=light("model-0"), opacity=0.4).encode(
            x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
        )
        dots = base.mark_point(filled=True, size=90, color=light("model-0"), opacity=1)
        return (bars + dots.encode(x=alt.X("value:Q", scale=scale))).properties(height=alt.Step(30))

    return make


def outcomes(rows: Sequence[Row], names: Sequence[str]) -> Make:
    """Stacked bars of rows {name, group, start, end, middle, number, said}, shares of 100."""
    used = [group for group in GROUPS if any(row["group"] == group.title for row in rows)]
    domain, hues = [group.title for group in used], [light(group.name) for group in used]

    def make(size: Size) -> Any:
        alt = altair()
        labels = shortened(names, size.letters)
        legend = alt.Legend(orient="top", title=None, columns=4, symbolType="square") if size.legend else None
        base = alt.Chart(data(rows, labels)).encode(y=models(labels), description="said:N")
        axis = per_cent("share of answers", step=20 if size.is_wide else 50)
        bars = base.mark_bar(height=24, stroke=light("paper"), strokeWidth=1).encode(
            x=alt.X("start:Q", scale=alt.Scale(domain=[0, 100]), axis=axis),
            x2="end:Q",
            color=alt.Color("group:N", scale=alt.Scale(domain=domain, range=hues), legend=legend),
        )
        numbers = _numbers(base, rows, labels, least=5 if size.is_wide else 16)
        return alt.layer(bars, *numbers).properties(height=alt.Step(36))

    return make


def _numbers(base: Any, rows: Sequence[Row], labels: Mapping[str, str], *, least: float) -> list[Any]:
    """Counts written on the bars that are wide enough for them, dark on pale fills and light on deep ones."""
    layers = []
    for ink in ("on-deep", "on-pale"):
        titles = {group.title for group in GROUPS if group.ink == ink}
        fitting = [row for row in rows if row["group"] in titles and row["end"] - row["start"] >= least]
        if fitting:
            text = base.mark_text(color=light(ink), fontSize=12, aria=False)
            layer = text.encode(x="middle:Q", text="number:N")
            layer.data = data(fitting, labels)
            layers.append(layer)
    return layers


def curves(rows: Sequence[Row], names: Sequence[str]) -> Make:
    """Lines with bands of rows {name, k, value, low, high, said}.

    Colour, shape and, beyond the colours there are, dashes tell models apart.
    """
    ks = sorted({row["k"] for row in rows})

    def make(size: Size) -> Any:
        alt = altair()
        labels = shortened(names, 2 * size.letters)
        colour, shape, dash = _looks(list(labels.values()), width=size.width)
        scale = alt.Scale(type="log" if ks[-1] > 20 else "linear", domain=[ks[0], ks[-1]], nice=False)
        ticks = _ticks(ks, most=20 if size.is_wide else 10)
        axis = alt.Axis(title="k: answers tried to a task", values=ticks, grid=False, format="d")
        base = alt.Chart(data(rows, labels)).encode(x=alt.X("k:Q", scale=scale, axis=axis), color=colour)
        low = alt.Y("low:Q", scale=alt.Scale(domain=[0, 100]), axis=per_cent("pass@k with its 95 % interval"))
        bands = base.mark_area(opacity=0.13, aria=False).encode(y=low, y2="high:Q")
        lines = base.mark_line(strokeWidth=2, aria=False).encode(y="value:Q", strokeDash=dash)
        points = base.mark_point(filled=True, size=46, opacity=1).encode(
            y="value:Q", shape=shape, description="said:N"
        )
        return (bands + lines + points).properties(height=320 if size.is_wide else 260)

    return make


def _looks(labels: list[str], *, width: int) -> tuple[Any, Any, Any]:
    """Colour, shape and dash of each model, with one legend for colour and shape."""
    alt = altair()
    columns = max(1, (width - 60) // (PIXELS * max(map(len, labels)) + 30))  # as many as fit side by side
    legend = alt.Legend(orient="top", title=None, columns=columns, symbolOpacity=1)
    numbers = range(len(labels))
    hues = [light(f"model-{index % len(MODELS)}") for index in numbers]
    shapes = [SHAPES[index % len(SHAPES)] for index in numbers]
    dashes = [DASHES[(index // len(MODELS)) % len(DASHES)] for index in numbers]
    return (
        alt.Color("name:N", scale=alt.Scale(domain=labels, range=hues), legend=legend),
        alt.Shape("name:N", scale=alt.Scale(domain=labels, range=shapes), legend=legend),
        alt.StrokeDash("name:N", scale=alt.Scale(domain=labels, range=dashes), legend=None),
    )


def _ticks(ks: Sequence[int], *, most: int) -> list[int]:
    """The ks that are written under the axis."""
    if len(ks) <= most and ks[-1] <= 20:
        return list(ks)
    return [k for k in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if ks[0] <= k <= ks[-1]]


def heat(rows: Sequence[Row], names: Sequence[str], tasks: Sequence[str]) -> Make:
    """A cell for each task and model, of rows {name, task, step, said}; `step` is a name of the palette."""

    def make(size: Size) -> Any:
        alt = altair()
        labels = shortened(names, size.letters)
        few = len(tasks) <= (40 if size.is_wide else 8)  # so few that each can have its name under it
        axis = alt.Axis(
            labels=few,
            ticks=False,
            domain=False,
            labelAngle=-90,
            labelLimit=90,
            title=f"{count(len(tasks), 'task')}, the hardest first",
        )
        x = alt.X("task:N", sort=list(tasks), axis=axis, scale=alt.Scale(paddingInner=0.08 if few else 0))
        y = models(labels, scale=alt.Scale(paddingInner=0.12))
        cells = alt.Chart(data(rows, labels)).mark_rect()
        cells = cells.encode(x=x, y=y, color=_heat_colour(legend=size.legend), description="said:N")
        return cells.properties(height=alt.Step(30))

    return make


def _heat_colour(*, legend: bool) -> Any:
    alt = altair()
    expression = f"{{{_STEPS}}}[datum.value]"
    shown = alt.Legend(orient="top", title=None, columns=7, symbolType="square", labelExpr=expression)
    scale = alt.Scale(domain=list(HEAT), range=[light(step) for step in HEAT])
    return alt.Color("step:N", scale=scale, legend=shown if legend else None)

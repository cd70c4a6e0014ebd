"""Results in a notebook: a caption, tables and lines as one HTML fragment, in light and dark.

The fragment carries its own style, limited to its class, because a notebook shows it inside another page.
It inherits text and background colours from there. Everything else comes from the palette of all pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from benchwright.display.escape import escaped_code
from benchwright.display.palette import INK

_CLASS = "benchwright-result"
# A notebook may be dark while the system is light, so its own attribute counts as well.
_DARK = "body[data-jp-theme-light='false']"


class HtmlTable(NamedTuple):
    """A table: titles of columns, and rows of cells. Numbers are aligned to the right."""

    titles: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""


def fragment(caption: str, *, tables: Iterable[HtmlTable] = (), lines: Iterable[str] = ()) -> str:
    """Return the HTML of a result. All texts are escaped."""
    parts = [Markup("<p><strong>{}</strong></p>").format(escaped_code(caption))]
    parts += [_table(table) for table in tables]
    parts += [Markup("<p class='small'>{}</p>").format(escaped_code(line)) for line in lines]
    return Markup("<div class='{}'>{}{}</div>").format(_CLASS, _style(), Markup("").join(parts))


def _style() -> Markup:
    light, dark = ({name: INK[name][theme] for name in ("line", "muted")} for theme in (0, 1))
    rules = [
        *_colours("", light),
        f"@media (prefers-color-scheme: dark) {{ {' '.join(_colours('', dark))} }}",
        *_colours(_DARK, dark),
        f".{_CLASS} {{ overflow-x: auto; }}",
        f".{_CLASS} table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}",
        f".{_CLASS} .number {{ text-align: right; white-space: nowrap; }}",
    ]
    return Markup("<style>{}</style>").format(Markup("\n".join(rules)))  # the rules hold no outside text


def _colours(scope: str, colours: dict[str, str]) -> list[str]:
    place = f"{scope} .{_CLASS}".strip()
    return [
        f"{place} th, {place} td {{ border-bottom: 1px solid {colours['line']}; padding: .3rem .7rem;"
        " text-align: left; }",
        f"{place} caption, {place} .small {{ color: {colours['muted']}; text-align: left; }}",
    ]


def _table(table: HtmlTable) -> Markup:
    head = Markup("").join(Markup("<th scope='col'>{}</th>").format(title) for title in table.titles)
    body = Markup("").join(_row(row) for row in table.rows)
    caption = Markup("<caption>{}</caption>").format(table.caption) if table.caption else Markup("")
    return Markup("<table>{}<thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(caption, head, body)


def _row(cells: Sequence[object]) -> Markup:
    return Markup("<tr>{}</tr>").format(Markup("").join(map(_cell, cells)))


def _cell(value: object) -> Markup:
    if isinstance(value, float | int):
        text = f"{value:,}" if isinstance(value, int) else f"{value:.4g}"
        return Markup("<td class='number'>{}</td>").format(text)
    return Markup("<td>{}</td>").format(escaped_code(value))

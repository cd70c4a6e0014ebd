"""The one style of tables in the terminal: no frame, bold column heads, two spaces between columns."""

from __future__ import annotations

from rich.table import Table

GAP = 2  # spaces between columns


def text_table(title: str = "", *, header: bool = True) -> Table:
    """Return an empty table with an optional title in markup; without `header` it has no column heads."""
    return Table(
        title=f"[italic]{title}[/]" if title else None,
        title_justify="left",
        title_style="",
        show_header=header,
        header_style="bold",
        box=None,
        pad_edge=False,
        padding=(0, GAP, 0, 0),
    )

"""Tables of the terminal: titles, heads and the space between cells."""

from __future__ import annotations

import io

from rich.console import Console

from benchwright.display.text_table import GAP, text_table


def shown(title: str = "", *, header: bool = True) -> list[str]:
    """Return the lines of a table with two columns and two rows."""
    table = text_table(title, header=header)
    for name in ("task", "passed"):
        table.add_column(name)
    table.add_row("a", "1")
    table.add_row("bcdef", "22")
    screen = io.StringIO()
    Console(file=screen, width=80).print(table)
    return [line.rstrip() for line in screen.getvalue().splitlines()]


def test_each_row_is_one_line() -> None:
    """Without lines between rows, borders, and space at the left edge."""
    gap = " " * GAP

    assert shown() == [f"task {gap}passed", f"a    {gap}1", f"bcdef{gap}22"]
    assert shown("Tasks", header=False) == ["Tasks", f"a    {gap}1", f"bcdef{gap}22"]

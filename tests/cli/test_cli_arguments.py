"""What is asked of arguments before a command uses them."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from benchwright.cli.arguments import as_path, not_empty
from benchwright.errors import UsageError


@click.command()
@click.argument("run", callback=not_empty, required=False)
@click.option("-d", "--data", callback=not_empty)
@click.option("--out", callback=as_path)
def command(run: str | None, data: str | None, out: Path | None) -> tuple[object, ...]:
    """A command of each kind of argument."""
    return run, data, out


def _given(*args: str) -> object:
    return command.main(list(args), standalone_mode=False)


def test_values_come_through() -> None:
    """A name is a name, and a path is a path; spaces are a name too."""
    assert _given("r", "--data", " ", "--out", "a/b") == ("r", " ", Path("a/b"))


def test_nothing_is_not_empty() -> None:
    """What was left out stays left out."""
    assert _given() == (None, None, None)


@pytest.mark.parametrize(
    ("args", "name"),
    [(("",), "RUN"), (("-d", ""), "--data"), (("--data", ""), "--data"), (("--out", ""), "--out")],
)
def test_an_empty_value_is_a_usage_error(args: tuple[str, ...], name: str) -> None:
    """It names the argument as --help does, and asks for the likely slip."""
    with pytest.raises(UsageError, match=f"^{name} is empty") as caught:
        _given(*args)

    assert "variable" in (caught.value.hint or "")

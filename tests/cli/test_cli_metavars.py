"""Values are called the same in the --help of every command."""

from __future__ import annotations

import click
import pytest

from benchwright.cli.arguments import with_metavars
from benchwright.cli.main import cli
from docs_site.reference import commands
from kit.command_line import inside

SHOWN = [
    (name, param, param.make_metavar(click.Context(command)))
    for name, command in commands(cli, "benchwright")
    for param in command.params
    if isinstance(param, click.Argument) or not getattr(param, "is_flag", False)
]


def test_no_value_is_called_by_its_type() -> None:
    """INTEGER, FLOAT RANGE, DIR and the like say nothing of what to write; three dots are one sign."""
    wrong = [
        (name, param.name, shown)
        for name, param, shown in SHOWN
        if shown.split()[0] in ("INTEGER", "FLOAT", "DIR", "DIRECTORY", "PATHNAME") or "..." in shown
    ]

    assert wrong == []
    assert len(SHOWN) > 200


@pytest.mark.parametrize(
    "option", ["--base-url", "--budget", "--judge-base-url", "--metric", "--limit", "--workers"]
)
def test_an_option_is_called_the_same_everywhere(option: str) -> None:
    """What several commands share reads alike in all of them."""
    assert len({shown for _, param, shown in SHOWN if option in param.opts}) == 1


def test_a_file_is_not_called_a_folder() -> None:
    """Where --help says that a file is written, its value is no FOLDER."""
    wrong = [
        name
        for name, param, shown in SHOWN
        if isinstance(param, click.Option) and shown == "FOLDER" and " file to write" in (param.help or "")
    ]

    assert wrong == []


def test_what_an_option_says_itself_stays() -> None:
    """Names of its own, and choices; a range is still told."""

    @click.command()
    @click.argument("runs", nargs=-1, required=True)
    @click.option("--out", metavar="ZIP")
    @click.option("--data")
    @click.option("--n", type=click.IntRange(min=1))
    @click.option("--kind", type=click.Choice(["a", "b"]))
    @click.option("--fast", is_flag=True)
    def command() -> None: ...

    shown = [param.make_metavar(click.Context(command)) for param in with_metavars(command).params[:5]]

    assert shown == ["RUNS…", "ZIP", "DATA", "N", "[a|b]"]


def test_a_range_is_told_beside_the_name() -> None:
    """How few and how many."""
    text = " ".join(inside("demo", "--help").stdout.split())

    assert ("--workers N" in text, "[x>=1]" in text, "--out FOLDER" in text) == (True, True, True)

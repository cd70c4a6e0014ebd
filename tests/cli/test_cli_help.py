"""The length and order of --help, and --help-all for options that are rarely needed."""

from __future__ import annotations

import math
from typing import Any

import click
import pytest
from click.testing import CliRunner

from benchwright.cli.arguments import NAMED, Option, SectionedCommand
from benchwright.cli.main import cli
from docs_site.reference import commands
from kit.command_line import benchwright, inside

COLUMNS, LINES = 80, 60
COMMANDS = dict(commands(cli, "benchwright"))


@click.command(cls=SectionedCommand)
@click.option("--often", help="Explained at once.")
@click.option("--seldom-used", cls=Option, section="Seldom", rare=True, help="Explained on request.")
def folded(**given: Any) -> None:
    """Do a thing.

    More about the thing.

    \b
    folded --often
    """


def help_of(command: click.Command, *args: str) -> str:
    """The help text of a command in a terminal of 80 columns."""
    return CliRunner().invoke(command, args or ("--help",), terminal_width=COLUMNS).output


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_at_most_60_lines(name: str) -> None:
    """In 80 columns, long lines counted as the terminal wraps them. Mark options `rare=True` to shorten it."""
    lines = help_of(COMMANDS[name]).splitlines()

    assert sum(max(1, math.ceil(len(line) / COLUMNS)) for line in lines) <= LINES


@pytest.mark.parametrize("name", COMMANDS)
def test_all_options_are_named(name: str) -> None:
    """--help explains, names or counts each visible option; --help-all explains each of them."""
    command = COMMANDS[name]
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    rare = [each for each in options if isinstance(command, SectionedCommand) and command.is_rare(each)]
    said = help_of(command)
    whole = help_of(command, "--help-all") if rare else said

    assert [each.opts for each in options if not _is_explained(each, whole)] == []
    assert [each.opts for each in options if not _is_explained(each, said) and each not in rare] == []
    assert ("--help-all" in said) == bool(rare)


def _is_explained(option: click.Option, text: str) -> bool:
    return any(f"\n  {spelling}" in text for spelling in option.opts)


def test_examples_come_first() -> None:
    """Before the other paragraphs, which come before the options."""
    said = help_of(folded)

    places = [said.index(text) for text in ("Do a thing.", "folded --often", "More about", "Options:")]
    assert places == sorted(places)


def test_rare_options_are_named_only() -> None:
    """With their section; --help-all explains them in it."""
    said, whole = help_of(folded), help_of(folded, "--help-all")

    assert ("Explained at once." in said, "Explained on request." in said) == (True, False)
    assert "  Seldom  --seldom-used" in said
    assert ("Explained on request." in whole, "Seldom:" in whole, "More options" in whole) == (
        True,
        True,
        False,
    )


def test_many_names_are_counted() -> None:
    """At most eight names of a section, none broken at a hyphen."""
    said = inside("run", "--help").stdout
    judges = said[said.index("Model judges") :]

    assert ("--judge-base-url" in judges, "more" in judges, judges.count("--") <= NAMED) == (True, True, True)


def test_help_all_needs_no_argument() -> None:
    """It works where a track is missing, ends well, and prints on stdout."""
    said = benchwright("run", "--help-all")

    assert (said.code, "--judge-price-out COST" in said.out) == (0, True)


def test_completion_offers_rare_options() -> None:
    """Whatever --help folds."""
    found = benchwright(
        _BENCHWRIGHT_COMPLETE="bash_complete", COMP_WORDS="benchwright run --judge-p", COMP_CWORD="2"
    )

    assert {"plain,--judge-price-in", "plain,--judge-price-out"} <= set(found.out.splitlines())

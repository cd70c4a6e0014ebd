"""Groups of commands, each imported only when it is called: `--help` costs what click costs."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from benchwright.errors import UsageError, command_name


class LazyGroup(click.Group):
    """A group made from a table: verb, where its command is ("module:object"), its line in --help."""

    def __init__(self, *args: Any, table: Mapping[str, tuple[str, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._table:
            return None
        module, _, name = self._table[cmd_name][0].partition(":")
        command: click.Command = getattr(import_module(module), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it. Raises UsageError, with the nearest name, for a command that there is not."""
        if args and args[0] not in self._table and not args[0].startswith("-"):
            raise UsageError(f"there is no command {args[0]!r}", hint=self._nearest(ctx, args[0]))
        return super().resolve_command(ctx, args)

    def _nearest(self, ctx: click.Context, word: str) -> str:
        near = get_close_matches(word, self._table, 1)
        typed = " ".join([command_name(), *ctx.command_path.split()[1:]])
        return f"did you mean `{typed} {near[0]}`?" if near else f"{typed} --help"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._table.items()])


@click.group(
    cls=LazyGroup,
    table={
        "codecorrectness": (
            "benchwright.cli.build:codecorrectness",
            "Code and a test: does it pass? In Python, Java and Go.",
        ),
        "aicodereval": (
            "benchwright.cli.build_aicodereval:command",
            "Tasks around AI models, with tests at three levels.",
        ),
    },
)
def build() -> None:
    """Build a data set, every row of which was executed before it was published."""


@click.group(
    cls=LazyGroup,
    table={
        "check": ("benchwright.cli.release:check", "Whether a release is as it was released."),
        "diff": ("benchwright.cli.release:diff", "What a later release has that an earlier one has not."),
        "erratum": ("benchwright.cli.release:erratum", "Note what turned out to be wrong with an entry."),
    },
)
def release() -> None:
    """Check, compare and annotate releases of data sets."""


@click.group(
    cls=LazyGroup,
    table={
        "mera": ("benchwright.cli.export_mera:command", "MERA's submission zip and lm-eval's sample logs."),
        "inspect": ("benchwright.cli.export_inspect:command", "An Inspect AI log."),
    },
)
def export() -> None:
    """Write a run in the format of another tool."""


@click.group(
    cls=LazyGroup,
    table={
        "inspect": ("benchwright.cli.importing:inspect", "The answers in an Inspect AI log."),
        "lm-eval": ("benchwright.cli.importing:lm_eval", "The answers in lm-eval's sample logs."),
    },
)
def import_() -> None:
    """Take the answers from another tool's log into a file that `--model replay:FILE` reads."""

"""Generate the reference pages: every command with its options, every public name with its signature."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

import benchwright
from benchwright.cli.main import cli

SchemaSource = tuple[str, click.Command]


def command_line() -> str:
    """The page of all commands, in the order of --help."""
    parts = [
        "# Command line",
        "",
        "See also [exit codes and environment variables](../exit-codes-and-environment.md).",
        "",
    ]
    for name, command in commands(cli, "benchwright"):
        parts += _of_command(name, command)
    return "\n".join(parts)


def commands(group: click.Group, name: str) -> Iterator[SchemaSource]:
    """The commands of a group with the words that call them; a group precedes its commands."""
    context = click.Context(group, info_name=name)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None, word
        yield f"{name} {word}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {word}")


def _of_command(name: str, command: click.Command) -> list[str]:
    context = click.Context(command, info_name=name)
    depth = "#" * name.count(" ")
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    parts = [
        f"#{depth} {name.removeprefix('benchwright ')}",
        "",
        *_prose(command.help or ""),
        f"    {usage}",
        "",
    ]
    rows = [_row(*record) for record in _records(command, context)]
    return parts + (["| option | |", "|---|---|", *rows, ""] if rows else [])


def _prose(text: str) -> Iterator[str]:
    """The help text as Markdown: paragraphs, and preformatted blocks of click as code."""
    for part in inspect.cleandoc(text).split("\n\n"):
        if part.startswith("\b\n"):
            yield from (f"    {line}" for line in part.removeprefix("\b\n").splitlines())
        else:
            yield _escaped(" ".join(part.split()))
        yield ""


def _records(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for param in command.get_params(context):
        record = param.get_help_record(context) if isinstance(param, click.Option) else None
        if record is not None:
            yield record


def _row(names: str, text: str) -> str:
    return f"| `{names.replace('|', '¦')}` | {_escaped(text).replace('|', chr(92) + '|')} |"


def _escaped(text: str) -> str:
    """Escape Markdown in a help text, which is plain text."""
    for char in ("\\", "`", "*", "_", "[", "<"):
        text = text.replace(char, f"\\{char}" if char != "<" else "&lt;")
    return text


def python_interface() -> str:
    """The page of all public names with signatures and docstrings."""
    parts = ["# Python", "", "The public interface of `import benchwright`. Everything else may change.", ""]
    for name in benchwright.__all__:
        if not name.startswith("_"):
            parts += _of_name(f"benchwright.{name}", getattr(benchwright, name), "##")
    return "\n".join(parts)


def _of_name(name: str, thing: object, depth: str) -> list[str]:
    parts = [
        f"{depth} {name.removeprefix('benchwright.')}",
        "",
        "```python",
        f"{name}{_signature(thing)}",
        "```",
        "",
    ]
    parts += [inspect.getdoc(thing) or "", ""]
    if inspect.isclass(thing):
        for member, method in vars(thing).items():
            if not member.startswith("_") and inspect.isfunction(method):
                parts += _of_name(f"{name}.{member}", method, f"{depth}#")
    return parts


def _signature(thing: object) -> str:
    return str(inspect.signature(thing)) if callable(thing) else ""

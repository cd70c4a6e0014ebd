"""Generate the reference pages: one for each command with its options, one for all public names."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

import click

import benchwright
from benchwright.cli.main import cli

NamedCommand = tuple[str, click.Command]
FOLDER = "reference/commands/"


def command_pages() -> dict[str, str]:
    """The page of each command in the order of --help, by its path in the documentation."""
    return {page_of(name): _command_page(name, command) for name, command in commands(cli, "benchwright")}


def page_of(name: str) -> str:
    """The path of a command's page: "benchwright judge export" is in reference/commands/judge-export.md."""
    return f"{FOLDER}{name.removeprefix('benchwright ').replace(' ', '-')}.md"


def command_index() -> str:
    """The page that lists all commands with a summary and a link to the page of each."""
    parts = [
        "# Command line",
        "",
        "Each command has a page with all of its options. See also",
        "[find a command](../find-a-command.md) and",
        "[exit codes and environment variables](../exit-codes-and-environment.md).",
        "",
    ]
    return "\n".join([*parts, *_list(commands(cli, "benchwright")), ""])


def commands(group: click.Group, name: str) -> Iterator[NamedCommand]:
    """The commands of a group with the words that call them; a group precedes its commands."""
    context = click.Context(group, info_name=name)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None, word
        yield f"{name} {word}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{name} {word}")


def _list(found: Iterable[NamedCommand]) -> list[str]:
    """A table of commands with links, for a page in `reference/`."""
    rows = [
        f"| [{name}](commands/{page_of(name).removeprefix(FOLDER)}) | {_cell(_summary(command))} |"
        for name, command in found
    ]
    return ["| command | |", "|---|---|", *rows]


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(limit=200)


def _command_page(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    parts = [f"# {name}", "", f"    {usage}", "", *_prose(command.help or "")]
    if isinstance(command, click.Group):
        listed = _list(commands(command, name))
        parts += [line.replace("](commands/", "](") for line in listed]
    rows = [f"| `{names.replace('|', '¦')}` | {_cell(text)} |" for names, text in _records(command, context)]
    return "\n".join([*parts, *(["## Options", "", "| option | |", "|---|---|", *rows] if rows else []), ""])


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


def _cell(text: str) -> str:
    """A text as the cell of a table."""
    return _escaped(text).replace("|", chr(92) + "|")


def _escaped(text: str) -> str:
    """Escape Markdown in a help text, but for code between backticks."""
    outside = text.split("`")
    if len(outside) % 2 == 0:  # an odd number of backticks
        return _plain(text)
    return "`".join(part if number % 2 else _plain(part) for number, part in enumerate(outside))


def _plain(text: str) -> str:
    for char in ("\\", "`", "*", "_", "[", "<"):
        text = text.replace(char, f"\\{char}" if char != "<" else "&lt;")
    return text


def python_interface() -> str:
    """The page of all public names with signatures and docstrings."""
    parts = [
        "# Python reference",
        "",
        "The public interface of `import benchwright`. Everything else may change.",
        "[The guide](../python.md) has examples.",
        "",
    ]
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

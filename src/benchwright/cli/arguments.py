"""Options, checks of values, and names of values in --help that several commands share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.shell_completion import files
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import PrerequisiteError, UsageError, install_command

if TYPE_CHECKING:
    from benchwright.records import Score


REST = "Options"
Command = Callable[..., Any]


def not_empty(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Return an optional value. Raises UsageError if it is empty, as in `--out "$OUT"` with OUT unset.

    A callback and not a type: `click.Path` would turn an empty name into the current folder first.
    """
    if value == "":
        is_argument = isinstance(param, click.Argument)
        name = param.human_readable_name.strip("[]") if is_argument else max(param.opts, key=len)
        raise UsageError(f"{name} is empty", hint="provide a value; a shell variable may be unset")
    return value


def not_empty_each(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Return the values of a repeatable option. Raises UsageError if one is empty."""
    for each in value:
        not_empty(ctx, param, each)
    return value


def as_path(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Return an optional value as a path. Raises UsageError if it is empty."""
    given = not_empty(ctx, param, value)
    return None if given is None else Path(given)


data_of_runs = click.option(
    "--data",
    multiple=True,
    callback=not_empty_each,
    shell_complete=files,
    help="Data set of runs that do not store it; repeatable.  [default: the stored tasks]",
)
data_of_run = click.option(
    "--data",
    callback=not_empty,
    shell_complete=files,
    help="Data set of the run, if the run does not store it.  [default: the stored tasks]",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")


def _for_summary(ctx: click.Context, param: click.Parameter, value: str | None) -> Path | None:
    """Return the path of a summary. Raises UsageError before the run if the file could not be written."""
    path = as_path(ctx, param, value)
    if path is None or (path.parent.is_dir() and not path.is_dir()):
        return path
    why = "is a folder" if path.is_dir() else "has no parent folder"
    hint = (
        f"mkdir -p {quoted(path.parent)}" if not path.is_dir() else f"--summary {quoted(path / 'summary.md')}"
    )
    raise UsageError(f"--summary {escaped_path(path)} {why}", hint=hint)


summary_option = click.option(
    "--summary",
    callback=_for_summary,
    metavar="FILE",
    help="Append the results to FILE as Markdown.",
    shell_complete=files,
)


def file_out(text: str) -> Callable[[Command], Command]:
    """Return a required option --out FILE; `text` is its line in --help."""
    return click.option(
        "--out", required=True, callback=not_empty, shell_complete=files, metavar="FILE", help=text
    )


class Option(click.Option):
    """An option with a section in --help."""

    def __init__(self, *args: Any, section: str = REST, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.section = section


class SectionedCommand(click.Command):
    """A command whose --help lists options by section, in the order of declaration."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section with its options."""
        sections: dict[str, list[tuple[str, str]]] = {REST: []}  # what every run needs comes first
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                sections.setdefault(getattr(param, "section", REST), []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)


def print_json(document: object) -> None:
    """Print a document as one line of UTF-8 JSON, independent of the terminal's encoding."""
    import msgspec  # noqa: PLC0415 (only what prints a document needs it)

    click.echo(msgspec.json.encode(document))


def score_document(score: Score) -> dict[str, Any]:
    """Return the JSON document of a score with all keys."""
    from benchwright.records import full_document  # noqa: PLC0415 (records cost a library)

    made: dict[str, Any] = full_document(score)
    last = {name: made.pop(name) for name in ("self_check", "notes")}
    first = ("run", "track", "model", "profile", "metrics", "other_profiles")
    return {**{name: made.pop(name) for name in first}, **made, **last}


@contextmanager
def need_station(what: str) -> Iterator[None]:
    """Raise PrerequisiteError about `what` if the station, or a package that it needs, is not installed."""
    with _need(what, "benchwright.web", extra="web"):
        yield


@contextmanager
def need_builders(what: str) -> Iterator[None]:
    """Raise PrerequisiteError about `what` if the builders, or packages they need, are not installed."""
    with _need(what, "benchwright.building", extra="build"):
        yield


@contextmanager
def _need(what: str, package: str, *, extra: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        if (error.name or "").startswith("benchwright") and error.name != package:
            raise
        raise PrerequisiteError(
            f"{what} needs packages that are not installed: {error}", hint=install_command(extra)
        ) from None


# By option, then by type.
NAMES = {
    "--answers": "FILE",
    "--budget": "COST",
    "--data": "DATA",
    "--encoding": "CODEC",
    "--host": "ADDRESS",
    "--judge-base-url": "URL",
    "--judge-budget": "COST",
    "--judge-model-id": "NAME",
    "--judge-per-minute": "N",
    "--judge-price-in": "COST",
    "--judge-price-out": "COST",
    "--judge-timeout": "SECONDS",
    "--metric": "METRIC",
    "--model": "MODEL",
    "--model-id": "NAME",
    "--model-name": "NAME",
    "--name": "NAME",
    "--out": "FOLDER",
    "--per-minute": "N",
    "--price-in": "COST",
    "--price-out": "COST",
    "--run": "RUN",
    "--task": "TASK",
    "--timeout": "SECONDS",
    "--track": "TRACK",
}
TYPES = {"integer": "N", "integer range": "N", "float": "NUMBER", "float range": "NUMBER", "text": "TEXT"}
SEVERAL = "…"


def with_metavars(command: click.Command) -> click.Command:
    """Set the names of a command's values in place, and return the command."""
    for param in command.params:
        if isinstance(param, click.Argument):
            _name_argument(param)
        elif param.metavar is None and not getattr(param, "is_flag", False):
            longest = max(param.opts, key=len)
            param.metavar = None if is_choice(param) else NAMES.get(longest) or TYPES.get(param.type.name)
        if param.metavar is not None:
            param.metavar = param.metavar.replace("...", SEVERAL)
    return command


def is_choice(param: click.Parameter) -> bool:
    """Return whether --help lists the values of a parameter."""
    return isinstance(param.type, click.Choice)


def _name_argument(argument: click.Argument) -> None:
    """Name an argument; one with several values is `RUN…`."""
    if argument.metavar is None and argument.nargs == -1 and not is_choice(argument):
        name = (argument.name or "").upper()
        argument.metavar = f"{name}{SEVERAL}" if argument.required else f"[{name}]{SEVERAL}"

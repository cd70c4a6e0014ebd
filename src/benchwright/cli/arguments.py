"""Options, checks of values, and names of values in --help that several commands share."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    reason = "is a folder" if path.is_dir() else "has no parent folder"
    hint = (
        f"mkdir -p {quoted(path.parent)}" if not path.is_dir() else f"--summary {quoted(path / 'summary.md')}"
    )
    raise UsageError(f"--summary {escaped_path(path)} {reason}", hint=hint)


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
    """An option with a section in --help. A `rare` one is explained by --help-all only; --help names it."""

    def __init__(self, *args: Any, section: str = REST, rare: bool = False, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.section = section
        self.rare = rare


map_option = click.option(
    "--map",
    "columns",
    cls=Option,
    section="Tasks and answers",
    rare=True,
    multiple=True,
    callback=not_empty_each,
    metavar="COLUMN=FIELD",
    help="Column of the data set that holds a field of own tasks, as in question=prompt; repeatable. Other "
    "columns are not read, except id.",
)
set_option = click.option(
    "--set",
    "field_values",
    cls=Option,
    section="Tasks and answers",
    rare=True,
    multiple=True,
    callback=not_empty_each,
    metavar="FIELD=VALUE",
    help="Field of own tasks that is equal in all rows; repeatable. A list is separated by |, as in "
    "labels='yes|no'.",
)


class SectionedCommand(click.Command):
    """A command whose --help has examples first, then its options by section, in the order of declaration.

    If it has rare options, --help lists their names, and --help-all explains them. `often` are the rare
    options of other commands that most calls of this one need.
    """

    def __init__(self, *args: Any, often: Sequence[str] = (), **rest: Any) -> None:
        super().__init__(*args, **rest)
        self._often = frozenset(often)

    def is_rare(self, param: click.Parameter) -> bool:
        """Return whether only --help-all explains an option."""
        return isinstance(param, Option) and param.rare and self._often.isdisjoint(param.opts)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters; with rare ones, --help-all among them."""
        params = super().get_params(ctx)
        return [*params, _HELP_ALL] if any(map(self.is_rare, self.params)) else params

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the first paragraph, the examples, and the other paragraphs."""
        first, *others = inspect.cleandoc(self.help or "").split("\n\n")
        examples = [each for each in others if each.startswith(_VERBATIM)]
        for text in (first, *examples, *(each for each in others if each not in examples)):
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(text)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each section with its options, then the names of rare ones by section."""
        sections: dict[str, list[tuple[str, str]]] = {REST: []}  # options for every run come first
        rare: dict[str, list[str]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is None:
                continue
            section = getattr(param, "section", REST)
            if self.is_rare(param) and not ctx.meta.get(_ALL):
                rare.setdefault(section, []).append(max(param.opts, key=len))
            else:
                sections.setdefault(section, []).append(record)
        for name, records in sections.items():
            with formatter.section(name):
                formatter.write_dl(records)
        if rare:
            with formatter.section("More options, explained by --help-all"):
                formatter.write_dl(_wrapped_names(rare, formatter.width))


def _wrapped_names(names: Mapping[str, Sequence[str]], width: int) -> list[tuple[str, str]]:
    """Return a row for each line of the first names: click would break a name at a hyphen."""
    columns = max(width - max(map(len, names)) - 4, 20)
    rows = []
    for section, options in names.items():
        more = f" and {len(options) - NAMED} more" if len(options) > NAMED else ""
        lines = textwrap.wrap(", ".join(options[:NAMED]) + more, columns, break_on_hyphens=False)
        rows += [(section if number == 0 else "", line) for number, line in enumerate(lines)]
    return rows


NAMED = 8  # rare options of a section that --help names
_VERBATIM = "\b\n"  # begins a paragraph that click does not wrap: the examples
_ALL = "benchwright.help_all"  # in the context: explain rare options too


def _print_all_help(ctx: click.Context, param: click.Parameter, is_requested: bool) -> None:
    if is_requested and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_all_help,
    help="Explain all options and exit.",
)


def print_json(document: object) -> None:
    """Print a document as one line of UTF-8 JSON, independent of the terminal's encoding."""
    import msgspec  # noqa: PLC0415 (only what prints a document needs it)

    click.echo(msgspec.json.encode(document))


def score_document(score: Score) -> dict[str, Any]:
    """Return the JSON document of a score with all keys."""
    from benchwright.records import full_document  # noqa: PLC0415 (records cost a library)

    document: dict[str, Any] = full_document(score)
    last = {name: document.pop(name) for name in ("self_check", "notes")}
    first = ("run", "track", "model", "profile", "metrics", "other_profiles")
    return {**{name: document.pop(name) for name in first}, **document, **last}


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

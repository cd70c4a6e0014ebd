"""The command line's front door. Imports click and the error tree only: a command loads what it needs.

Everything for people goes to stderr, results to stdout. Exit codes: 0 ok, 1 failed, 2 usage,
3 a prerequisite is missing, 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from typing import NoReturn

import click

from benchwright.cli.lazy import LazyGroup
from benchwright.errors import BenchwrightError, command_name

# Verb: where its command is, and its line in --help, so that --help imports no command.
COMMANDS = {
    "demo": (
        "benchwright.cli.demo:command",
        "Score demo models on two tracks and report them; no key, GPU or network needed.",
    ),
    "run": ("benchwright.cli.run:command", "Score a model, or a file of stored answers, on a data set."),
    "show": ("benchwright.cli.show:command", "Read any answer of a run: its program, its outcome and why."),
    "compare": ("benchwright.cli.compare:command", "Say in words which of two runs is better, if either is."),
    "rank": ("benchwright.cli.rank:command", "Put runs in order, with the ranks that each could have."),
    "report": ("benchwright.cli.report:command", "Write one HTML file to send to a colleague."),
    "export": ("benchwright.cli.lazy:export", "Write a run as a MERA submission or an Inspect log."),
    "import": ("benchwright.cli.lazy:import_", "Take answers from an Inspect or lm-eval log."),
    "check-submission": (
        "benchwright.cli.check_submission:command",
        "Find the faults of a MERA submission before it is uploaded.",
    ),
    "stub-server": (
        "benchwright.cli.stub_server:command",
        "Serve scripted answers and faults, for tests of clients.",
    ),
    "verify": (
        "benchwright.cli.verify:command",
        "Execute the rows of CodeCorrectness and check their labels.",
    ),
    "build": (
        "benchwright.cli.lazy:build",
        "Build a data set from repositories, every label by execution.",
    ),
    "release": ("benchwright.cli.lazy:release", "Check, compare and annotate releases of data sets."),
    "convert": ("benchwright.cli.convert:command", "Turn HumanEval rows into ruHumanEval rows."),
    "setup": (
        "benchwright.cli.setup:command",
        "Install the packages of a dependency profile: torch or sklearn.",
    ),
    "doctor": ("benchwright.cli.doctor:command", "Probe the sandbox on this machine, layer by layer."),
    "completion": ("benchwright.cli.completing:command", "Print the completion script for your shell."),
}


@click.group(cls=LazyGroup, table=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="benchwright")
def cli() -> None:
    """Build, run, judge and rank benchmarks for code models, with verdicts that can be trusted."""


def main() -> NoReturn:
    """Run the command line and exit."""
    if "_BENCHWRIGHT_COMPLETE" in os.environ:  # a shell asks
        from benchwright.cli.completing import install  # noqa: PLC0415

        install()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without UTF-8 gets escapes, no error
    try:
        code = cli.main(prog_name="benchwright", standalone_mode=False) or 0
    except click.exceptions.Abort:
        code = _interrupted()
    except KeyboardInterrupt:
        code = _interrupted()
    except click.ClickException as error:
        _say(_plain(error))
        code = error.exit_code
    except BenchwrightError as error:
        _say(error)
        code = error.exit_code
    except OSError as error:
        code = _refused(error)
    sys.exit(code)


def _interrupted() -> int:
    click.echo("\ninterrupted: what was done is kept; the same command goes on from there", err=True)
    return 130


def _refused(error: OSError) -> int:
    """The system said no where no stage expects it: stdout on a full disk, no room for a temporary file."""
    place = f" ({error.filename!r})" if error.filename else ""
    _say(BenchwrightError(f"the system refused: {error.strerror or error}{place}", hint="df -h; ulimit -a"))
    if not isinstance(error.filename, str | bytes):  # maybe stdout: what is left in its buffer fails again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1


def _plain(error: click.ClickException) -> BenchwrightError:
    """What click refuses, in the form of every other error: what is wrong, and where the options are told."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return BenchwrightError(error.format_message())
    words = context.command_path.split()[1:]
    return BenchwrightError(error.format_message(), hint=" ".join([command_name(), *words, "--help"]))


def _say(error: BenchwrightError) -> None:
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(error.message, err=True)
    if error.hint:
        click.secho("hint: ", fg="cyan", bold=True, nl=False, err=True)
        click.echo(error.hint, err=True)


if __name__ == "__main__":
    main()

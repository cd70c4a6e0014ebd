"""The front door: help, versions, and commands that do not exist."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

import benchwright as package
from benchwright.cli.commands import command_lines
from benchwright.cli.main import CONTAINER, OF_OTHERS
from benchwright.cli.run import command as run
from kit.command_line import benchwright, called, inside
from kit.processes import HANG_S


@pytest.mark.parametrize("name", command_lines())
def test_every_command_has_help(name: str) -> None:
    """`benchwright COMMAND --help` says how to call it, and ends well."""
    result = inside(name, "--help")

    assert (result.exit_code, f" {name} [OPTIONS]" in result.stdout) == (0, True)


@pytest.mark.parametrize("name", command_lines())
def test_every_option_is_explained(name: str) -> None:
    """No option of a command is without a line of help."""
    from benchwright.cli.main import cli

    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    silent = [
        option.name
        for option in command.params
        if option.param_type_name == "option" and not (option.help or option.metavar)
    ]

    assert silent == []


def test_help_lists_every_command() -> None:
    """`benchwright --help` has a line for each command, as it is in its own help, on stdout."""
    said = benchwright("--help")
    text = " ".join(said.out.split())  # long lines wrap
    missing = [name for name, (_, line) in command_lines().items() if f"{name} {line}" not in text]

    assert (said.code, missing, said.err) == (0, [], "")


def test_short_help() -> None:
    """`-h` is `--help`."""
    assert inside("-h").stdout == inside("--help").stdout


def test_version() -> None:
    """`--version` names the version of the package."""
    result = inside("--version")

    assert (result.exit_code, package.__version__ in result.stdout) == (0, True)


@pytest.mark.parametrize("args", [("nothing",), ("--nothing",), ("run", "--nothing"), ("show",), ("run",)])
def test_wrong_usage_is_exit_code_2(args: tuple[str, ...]) -> None:
    """An unknown command or option, or a missing argument, is a usage error on stderr with a hint."""
    said = benchwright(*args)

    assert (said.code, said.out, "Traceback" in said.err) == (2, "", False)
    assert [line.split()[0] for line in said.err.splitlines()] == ["error:", "hint:"]


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (("shw",), "did you mean `benchwright show`?"),
        (("nothing",), "benchwright --help"),
        (("export", "insect"), "did you mean `benchwright export inspect`?"),
        (("run", "--modle", "gold:"), "benchwright run --help"),
    ],
)
def test_a_slip_is_told_the_way_on(args: tuple[str, ...], hint: str) -> None:
    """The nearest command, or where the options are told."""
    assert benchwright(*args).err.splitlines()[-1] == f"hint: {hint}"


@pytest.mark.parametrize("option", sorted(OF_OTHERS))
def test_options_of_other_tools_lead_to_ours(option: str) -> None:
    """The hint is a command that `run` takes."""
    said = benchwright("run", "humaneval", "--data", "HumanEval.jsonl", option, "x")
    words = said.err.partition("hint: ")[2].split()
    known = {name for parameter in run.params for name in parameter.opts}

    assert (said.code, f"No such option '{option}'" in said.err) == (2, True)
    assert words[:2] == ["benchwright", "run"] and {word for word in words if word[:2] == "--"} <= known


@pytest.mark.parametrize(
    "args", [("--n", "many"), ("--workers", "0"), ("--cpu-limit", "0"), ("--form", "both")]
)
def test_options_out_of_range_are_exit_code_2(args: tuple[str, ...]) -> None:
    """A value that an option cannot take is refused before anything is read."""
    result = inside("run", "humaneval", "--data", "nowhere", "--model", "gold:", *args)

    assert (result.exit_code, args[0] in result.stderr) == (2, True)


def test_no_arguments_show_the_help() -> None:
    """`benchwright` alone says what there is, as a usage error."""
    said = benchwright()

    assert (said.code, "Commands:" in said.out + said.err) == (2, True)


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_another_system_is_told_the_way(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything else: exit code 3, and how to make the image."""
    monkeypatch.setattr(sys, "platform", system)
    said = called("doctor")

    assert (said.code, said.out, said.err.splitlines()) == (
        3,
        "",
        [
            f"error: unsupported system: {system}; Benchwright runs on Linux, or in a container on macOS and Windows",
            f"hint: {CONTAINER}",
        ],
    )


def test_a_full_disk_is_no_traceback() -> None:
    """Output on a full device is an error with a hint."""
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "benchwright.cli.main", "completion", "bash"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=HANG_S,
            check=False,
        )
    said = done.stderr.decode()

    assert (done.returncode, "hint: " in said, "Traceback" in said) == (1, True, False)


@pytest.mark.parametrize(
    "args",
    [("demo", "--out"), ("run", "humaneval", "--model", "gold:", "--data"), ("show",)],
    ids=lambda it: it[0],
)
def test_names_that_are_not_utf_8(args: tuple[str, ...]) -> None:
    """A name with other bytes than UTF-8 is an error that shows it escaped."""
    said = benchwright(*args, "nowhere/\udcff")

    assert (said.code, r"\udcff" in said.err, "hint: " in said.err, "Traceback" in said.err) == (
        2,
        True,
        True,
        False,
    )


@pytest.mark.parametrize(
    "args", [("--help",), ("shw",), ("show", "nowhere"), ("compare", "a\x1b[2Jb", "c", "--json")]
)
def test_a_call_in_this_process_says_what_a_process_says(args: tuple[str, ...], tmp_path: Path) -> None:
    """The same code and the same two streams, so that tests may spare themselves the process."""
    assert called(*args, cwd=tmp_path, COLUMNS="90") == benchwright(*args, cwd=tmp_path, COLUMNS="90")


def test_the_package_is_the_command() -> None:
    """`python -m benchwright` says what `benchwright` says, and calls itself so in its help."""
    said = [
        subprocess.run(
            [sys.executable, "-m", name, "--help"], capture_output=True, text=True, timeout=HANG_S, check=True
        ).stdout
        for name in ("benchwright", "benchwright.cli.main")
    ]

    assert said[0] == said[1]
    assert said[0].startswith("Usage: benchwright ")

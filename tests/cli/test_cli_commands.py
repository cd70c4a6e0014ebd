"""Commands of other packages, and those of Benchwright that are not installed."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click
import pytest

from benchwright.cli import commands
from benchwright.cli.main import cli
from kit.command_line import benchwright, called, inside
from kit.plug_ins import install

HELLO = '''"""A command."""

import click


@click.command()
@click.option("--loud", is_flag=True, help="Print in capitals.")
def command(loud):
    """Print a greeting."""
    click.echo("HELLO" if loud else "hello")
'''


def environment(site: Path) -> dict[str, str]:
    """The environment in which the packages of a folder are installed."""
    return {"PYTHONPATH": os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH", "")]))}


def package(folder: Path, module: str, text: str = HELLO, **names: str) -> Path:
    """A package with one module; `names` are its commands and their targets."""
    points = {name.replace("__", "."): target for name, target in names.items()}
    return install(folder, module, text, {"benchwright.commands": points})


def test_a_package_adds_a_command(tmp_path: Path) -> None:
    """It is called, suggested and listed with its own help."""
    there = environment(package(tmp_path, "greeting", hello="greeting:command"))

    assert benchwright("hello", "--loud", **there).out == "HELLO\n"
    assert "did you mean `benchwright hello`?" in benchwright("helo", **there).err
    assert "  hello             Print a greeting.\n" in benchwright("--help", **there).out
    assert "Print in capitals." in benchwright("hello", "--help", **there).out


def test_a_package_adds_a_command_to_a_group(tmp_path: Path) -> None:
    """`export.hello` is the command `hello` of `export`, and no command of the root."""
    there = environment(package(tmp_path, "greeting", export__hello="greeting:command"))

    assert benchwright("export", "hello", **there).out == "hello\n"
    assert re.search(
        r"^  hello +Print a greeting\.$", benchwright("export", "--help", **there).out, re.MULTILINE
    )
    assert "hello" not in benchwright("--help", **there).out


def test_a_built_in_command_stays(tmp_path: Path) -> None:
    """A package cannot replace a command, installed or not."""
    there = environment(
        package(tmp_path, "greeting", schema="greeting:command", list__data="greeting:command")
    )

    assert "hello" not in benchwright("schema", "own", **there).out
    assert (
        "Print a greeting."
        not in benchwright("--help", **there).out + benchwright("list", "--help", **there).out
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("raise SystemExit(0)", "SystemExit: 0"),
        ("command = print", "is not a click command: broken:command"),
        ("", "AttributeError: module 'broken' has no attribute 'command'"),
    ],
)
def test_a_broken_package_does_not_break_help(tmp_path: Path, text: str, reason: str) -> None:
    """Its line says why; the command itself is an error with a hint."""
    there = environment(package(tmp_path, "broken", text, torn="broken:command"))

    listed, said = benchwright("--help", COLUMNS="200", **there), benchwright("torn", **there)

    assert (listed.code, reason in " ".join(listed.out.split())) == (0, True)
    assert "completion " in listed.out
    assert (said.code, reason in said.err, "Traceback" in said.err) == (3, True, False)
    assert said.err.splitlines()[-1].startswith("hint: ") and said.err.endswith("--force-reinstall broken\n")


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("audit",), "build"),
        (("build", "aicodereval"), "build"),
        (("judge", "serve"), "web"),
        (("ianvs",), "ianvs"),
    ],
)
def test_a_command_that_is_not_installed_names_its_extra(
    monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], extra: str
) -> None:
    """The core alone starts, lists its own commands, and gives the command that installs another."""
    moved = {
        name: (target.replace(".cli.", ".absent.cli."), summary)
        for name, (target, summary) in commands.COMMANDS.items()
    }
    core = {
        name: line if name.split()[0] not in commands.EXTRAS else moved[name]
        for name, line in commands.COMMANDS.items()
    }
    monkeypatch.setattr(commands, "COMMANDS", core)
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "benchwright")

    said = called(*words)

    assert (said.code, "error: command not installed: " in said.err) == (3, True)
    assert said.err.splitlines()[-1] == f"hint: pip install 'benchwright[{extra}]'"
    assert set(commands.command_lines()) == {name.split()[0] for name in core} - set(commands.EXTRAS)
    assert words[0] not in cli.list_commands(click.Context(cli))
    assert inside("--help").exit_code == 0


def test_a_command_can_need_another_extra_than_its_group() -> None:
    assert (commands.extra_of("judge serve"), commands.extra_of("judge links")) == ("web", "build")


def test_every_extra_is_one_of_the_package() -> None:
    """Its verbs are commands, so that a hint names what can be installed."""
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")

    assert set(commands.EXTRAS) <= {*commands.COMMANDS, *(name.split()[0] for name in commands.COMMANDS)}
    assert [extra for extra in commands.EXTRAS.values() if f"\n{extra} = [" not in project] == []


def test_every_group_has_commands() -> None:
    assert set(commands.COMMAND_GROUPS) == {name.split()[0] for name in commands.COMMANDS if " " in name}


def test_a_shell_is_offered_commands_without_an_import(tmp_path: Path) -> None:
    """Those of other packages too; a broken one is no error."""
    there = environment(package(tmp_path, "broken", "raise OSError", exotic="broken:command"))

    shell = {"_BENCHWRIGHT_COMPLETE": "bash_complete", "COMP_WORDS": "benchwright ex", "COMP_CWORD": "1"}

    assert benchwright(**shell, **there).out == "plain,export\nplain,exotic\n"


@pytest.mark.parametrize("name", ["run", "judge", "nowhere"])
def test_a_command_of_another_group_is_unknown_in_this_one(name: str) -> None:
    """Groups of commands, of recipes too, have their own names alone."""
    said = called("build", name)

    assert (said.code, f"error: unknown command: {name}" in said.err, "hint: " in said.err) == (2, True, True)


def test_a_package_adds_commands_beside_recipes(tmp_path: Path) -> None:
    """`build.NAME` is one of the group; a command at the root is not."""
    text = "import click\n\n\n@click.command()\ndef command():\n    'Count.'\n    click.echo('counted')\n"
    there = environment(
        package(
            tmp_path, "counting", text, **{"build.count": "counting:command", "tally": "counting:command"}
        )
    )
    listed = benchwright("build", "--help", **there).out

    assert ("count " in listed, "tally" in listed, "aicodereval" in listed) == (True, False, True)
    assert benchwright("build", "count", **there).out == "counted\n"
    assert benchwright("build", "tally", **there).code == 2

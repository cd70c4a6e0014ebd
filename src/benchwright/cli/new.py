"""`benchwright new KIND NAME`: create a starter with a test."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import click

from benchwright import registry
from benchwright.cli.arguments import as_path
from benchwright.cli.commands import is_built_in
from benchwright.cli.shell_completion import files
from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError, UsageError, command_name

KINDS = ("task", "track", "judge", "provider", "command")
MAX_NAME = 40  # characters
_FOLDER = Path(__file__).with_name("starters")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
# By kind: files to write and their templates.
_FILES = {
    "task": {"@NAME@.toml": "task.toml", "test_@MODULE@.py": "task_test.py"},
    **{
        kind: {
            "@MODULE@.py": f"{kind}.py",
            "test_@MODULE@.py": f"{kind}_test.py",
            "pyproject.toml": f"{kind}_pyproject.toml",
            **({} if kind in ("provider", "command") else {"rows.jsonl": f"{kind}_rows.jsonl"}),
        }
        for kind in KINDS[1:]
    },
}
_REGISTERED = {"track": ("track",), "judge": ("judge", "track"), "provider": ("model",)}


@click.command()
@click.argument("kind", type=click.Choice(KINDS))
@click.argument("name")
@click.option(
    "--out",
    callback=as_path,
    shell_complete=files,
    metavar="FOLDER",
    help="Folder to write to.  [default: the current folder for a task, else a folder NAME]",
)
def command(kind: str, name: str, out: Path | None) -> None:
    """Create a working starter and a test that passes.

    task: a file of tasks. track, judge, provider, command: a package to install with Benchwright.
    Existing files are never overwritten.

    \b
    benchwright new task mine
    benchwright new track languages
    benchwright new provider my-server --out packages/my-server
    """
    check_name(kind, name)
    folder = out or Path("." if kind == "task" else name)
    for path in write_starter(kind, name, folder):
        click.echo(escaped_path(path))
    for line in next_steps(kind, name, folder):
        click.echo(line, err=True)


def check_name(kind: str, name: str) -> None:
    """Raise UsageError for a name that is invalid or in use."""
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        rule = f"use at most {MAX_NAME} lower-case letters, digits and hyphens"
        hint = f"{rule}: {command_name()} new {kind} my-{kind}"
        raise UsageError(f"invalid name: {name!r}", hint=hint)
    hint = f"{command_name()} new {kind} my-{name}"
    if kind == "command" and is_built_in(name):
        raise UsageError(f"{name} is a built-in command", hint=hint)
    group = next((each for each in _REGISTERED.get(kind, ()) if name in registry.GROUPS[each]), None)
    if group is not None:
        raise UsageError(f"{name} is a built-in {group}", hint=hint)
    module = _module(name)
    if kind != "task" and (module in sys.stdlib_module_names or find_spec(module) is not None):
        raise UsageError(f"a module named {module} exists", hint=hint)


def write_starter(kind: str, name: str, folder: Path) -> list[Path]:
    """Write the files of a kind to a folder. Raises RunError, and writes nothing, if one exists."""
    paths = {folder / _fill_template(path, name): starter for path, starter in _FILES[kind].items()}
    if existing := next((path for path in paths if path.exists()), None):
        message = f"{escaped_path(existing)} exists; files are never overwritten"
        raise RunError(message, hint=f"{command_name()} new {kind} {name} --out OTHER-FOLDER")
    texts = {
        path: _fill_template((_FOLDER / f"{each}.txt").read_text("utf-8"), name)
        for path, each in paths.items()
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"cannot write to {escaped_path(folder)}: {error.strerror}"
        raise RunError(message, hint=f"{command_name()} new {kind} {name} --out OTHER-FOLDER") from None
    return list(paths)


def next_steps(kind: str, name: str, folder: Path) -> list[str]:
    """Return the commands to run next."""
    place, run = quoted(folder), command_name()
    test = f"python -m pytest {quoted(folder / f'test_{_module(name)}.py')}"
    if kind == "task":
        data = quoted(folder / f"{name}.toml")
        return [f"{run} check {data} --execute", f"{run} run own --data {data} --model gold:", test]
    if kind == "command":
        use = f"{run} {name} RUN"
    elif kind == "provider":
        use = f"{run} run own --data TASKS --model {name}:MODEL --base-url http://localhost:8080"
    else:
        use = f"{run} run {name} --data {quoted(folder / 'rows.jsonl')} --model gold:"
    return [test, f"{_installer()} -e {place}", use]


def _installer() -> str:
    """Return the installer of packages: a clone's environment has no pip."""
    return "VIRTUAL_ENV=.venv .uv/bin/uv pip install" if " " in command_name() else "pip install"


def _fill_template(text: str, name: str) -> str:
    words = re.split("[-_]", name)
    values = {
        "@NAME@": name,
        "@MODULE@": _module(name),
        "@CLASS@": "".join(word.capitalize() for word in words),
        "@TITLE@": " ".join(words).capitalize(),
    }
    for mark, value in values.items():
        text = text.replace(mark, value)
    return text


def _module(name: str) -> str:
    return name.replace("-", "_")

"""A hint can be followed: the commands and options that it names exist; those of other programs are on a list."""

from __future__ import annotations

import re
from functools import cache

import pytest

from benchmarks.structure import Module
from benchwright.cli.main import cli
from docs_site.reference import commands
from kit.doc_commands import misunderstood
from kit.hints import HOLE, Hint, hints
from kit.package_source import package

OPTIONS = {
    opt
    for _, command in commands(cli, "benchwright")
    for param in command.params
    for opt in (*param.opts, *param.secondary_opts)
} | {"--help"}
# Programs of others that a hint names as a command: why they are not followed here.
OTHERS = {
    "unset": "a word of the shell",
    "apt-get": "changes the system, as root",
    "cat": "shows a file that the message names",
    "chmod": "changes rights of a file that the message names",
    "df": "shows the disk",
    "diff": "shows two files that the message names",
    "docker": "needs a Docker daemon",
    "export": "sets a variable of the reader's shell",
    "git": "works in the reader's repository",
    "grep": "shows lines of a file that the message names",
    "hf": "logs in at the hub",
    "iconv": "turns a file that the message names into UTF-8",
    "inspect": "another tool's command, on the reader's log",
    "ls": "shows a folder that the message names",
    "mkdir": "makes a folder that the message names",
    "mv": "moves a file that the message names",
    "pip": "installs from the index: ./run bench first-day does it; what it installs is checked by tests/test_installation.py",
    "pytest": "runs the reader's tests; tests/pytest_plugin start it with these options",
    "psql": "needs the reader's database",
    "python": "shows a file that the message names",
    "rm": "deletes what the message names",
    "sysctl": "changes the system, as root",
    "systemd-run": "needs a session of systemd",
}
# Options of those programs.
OPTIONS_OF_OTHERS = {
    "--bare",
    "--benchwright-model",
    "--no-local",
    "--stream",
    "--force-reinstall",
    "--no-deps",
    "--output-dir",
    "--header-only",
    "--local-dir",
    "--security-opt",
    "--user",
    "--scope",
    "--target",
    "--upgrade",
    "--version",
    "--no-install-recommends",
}


@cache
def all_hints() -> list[Hint]:
    """The hints of the whole source, read by the first test that needs them."""
    return list(hints(package()))


def calls(text: str) -> list[str]:
    """What a hint would have the reader type of this program."""
    quoted = re.findall(r"`([^`]*)`", text)
    whole = [*quoted, text] if text.startswith(("benchwright", "./run benchwright")) else quoted
    return [call for call in whole if re.match(r"(\./run )?benchwright\b", call)]


def faults(hint: Hint) -> list[str]:
    """Commands and options that a hint names and that there are not."""
    found = [misunderstood(call) for call in calls(hint.text)]
    named = re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]\b", hint.text)
    return [fault for fault in found if fault] + [
        name for name in named if name not in OPTIONS | OPTIONS_OF_OTHERS
    ]


def test_what_hints_name_exists() -> None:
    """Each command with its options, each option alone."""
    assert {hint: found for hint in all_hints() if (found := faults(hint))} == {}
    assert len(all_hints()) > 600
    assert sum(bool(calls(hint.text)) for hint in all_hints()) > 20


def test_programs_of_others_are_on_the_list() -> None:
    """A hint that begins with a program's name and an option or path is a command."""
    first = {
        hint.text.split()[0]: hint
        for hint in all_hints()
        if re.match(r"[a-z][a-z0-9-]* (-{1,2}[a-z]|HOLE$|HOLE/|\S*/)", hint.text)
    }
    ours = {
        "add",
        "benchwright",
        "leave",
        "omit",
        "write",
        "name",
        "use",
        "give",
        "rename",
        "check",
        "read",
        "it",
        "see",
        "choose",
    }

    assert first.keys() - OTHERS.keys() - ours == set()


@pytest.mark.parametrize(
    ("source", "texts", "wrong"),
    [
        (
            "raise E('x', hint=f'{command_name()} shw {run}')",
            [f"benchwright shw {HOLE}"],
            ["benchwright has no command 'shw'"],
        ),
        (
            "hint = 'say --modle' if a else 'say `benchwright run`'",
            ["say --modle", "say `benchwright run`"],
            ["--modle"],
        ),
        ("def _hint():\n    return '--n 5' + text", [f"--n 5{HOLE}"], []),
        ("_HINT = known or 'pip install --target x'", ["pip install --target x"], []),
    ],
)
def test_a_hint_that_leads_nowhere_is_found(source: str, texts: list[str], wrong: list[str]) -> None:
    """Whatever way it is written in the source."""
    found = list(hints({"module.py": Module("module", source)}))

    assert [hint.text for hint in found] == texts
    assert [fault for hint in found for fault in faults(hint)] == wrong

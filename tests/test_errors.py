"""Hints that can be followed where they are printed."""

import pytest

from benchwright.errors import command_name, install_command


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (None, "pip install 'benchwright[report]'"),
        ("benchwright", "pip install 'benchwright[report]'"),
        ("./run benchwright", "./run setup report"),
    ],
)
def test_an_extra_is_installed_where_the_user_is(
    command: str | None, hint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A clone has an environment of its own, without pip."""
    monkeypatch.delenv("BENCHWRIGHT_COMMAND", raising=False)
    if command is not None:
        monkeypatch.setenv("BENCHWRIGHT_COMMAND", command)

    assert (install_command("report"), command_name()) == (hint, command or "benchwright")

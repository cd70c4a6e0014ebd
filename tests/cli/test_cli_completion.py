"""`benchwright completion SHELL`."""

from __future__ import annotations

import subprocess

import pytest

from kit.command_line import benchwright, inside
from kit.needs import need
from kit.processes import HANG_S


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str) -> None:
    """Each script names the command and the variable that it asks through."""
    result = inside("completion", shell)
    wanted = (f"_BENCHWRIGHT_COMPLETE={shell}_complete", "benchwright")

    assert (result.exit_code, [word in result.stdout for word in wanted]) == (0, [True, True])


def test_bash_accepts_its_script() -> None:
    """Bash can read the script and knows the completion afterwards."""
    bash = need("bash", "reads the completion script")
    script = inside("completion", "bash").stdout
    done = subprocess.run(
        [bash, "--norc", "-c", f"{script}\ncomplete -p benchwright"],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )

    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["benchwright"])


@pytest.mark.parametrize(
    ("typed", "wanted"), [("sh", ["show"]), ("co", ["compare", "convert", "completion"])]
)
def test_commands_are_completed(typed: str, wanted: list[str]) -> None:
    """What bash asks for gets the commands that begin so."""
    said = benchwright(
        COMP_WORDS=f"benchwright {typed}", COMP_CWORD="1", _BENCHWRIGHT_COMPLETE="bash_complete"
    )

    assert [line.partition(",")[2] for line in said.out.split()] == wanted


def test_unknown_shell() -> None:
    """Another shell is a usage error that lists the known ones."""
    said = benchwright("completion", "powershell")

    assert (said.code, said.out, "'bash', 'zsh', 'fish'" in said.err) == (2, "", True)

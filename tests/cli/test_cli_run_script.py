"""The script `run`: what it installs for whom. Its tools are stand-ins that note how they were called."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from kit.needs import need
from kit.processes import HANG_S

RUN = Path(__file__).parents[2] / "run"
SYNC = "sync --quiet --locked --inexact --python python3"
EXTRAS = "--no-dev --extra stats --extra report --extra build --extra parquet"
APT = "apt-get install -y -qq --no-install-recommends"


class Clone:
    """A clone with the script alone, on a machine whose tools only note what they are asked."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.tools = folder, folder / "tools"
        self.log = folder / "log"
        self.log.write_text("")
        self.tools.mkdir()
        shutil.copy(RUN, folder / "run")
        self.tool(".uv/bin/uv", 'all="$*"; touch "$HERE/is-${all##*--extra }"')
        self.tool("tools/python3", "exit 0")
        self.tool("tools/apt-get", 'case $* in *install*) touch "$HERE/is-java" ;; esac')
        self.tool("tools/apt-cache", 'echo "  Candidate: ${CANDIDATE-17.0.1}"')
        self.tool("tools/id", 'echo "${USER_ID-0}"')
        self.tool(".venv/bin/benchwright", 'echo "$BENCHWRIGHT_COMMAND"')
        ready = '[ -e "$HERE/is-$3" ] || { echo "$3: absent"; exit 3; }; echo "$3: ready"'
        self.tool(".venv/bin/python", ready)

    def tool(self, path: str, body: str) -> None:
        """A program that notes its name and arguments, then does something."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(f'#!/bin/sh\necho "{place.name} $*" >>"$HERE/log"\n{body}\n')
        place.chmod(0o755)

    def say(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the script; its standard tools are those of the machine."""
        path = f"{self.tools}:/usr/bin:/bin"
        return subprocess.run(
            ["/bin/sh", str(self.folder / "run"), *arguments],
            env={**os.environ, "PATH": path, "HERE": str(self.folder), "PYTHON": "", **variables},
            capture_output=True,
            text=True,
            timeout=HANG_S,
            check=False,
        )

    def asked(self, name: str) -> list[str]:
        """How a tool was called."""
        return [line for line in self.log.read_text().splitlines() if line.startswith(f"{name} ")]


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    need("sh", "runs the script")
    return Clone(tmp_path)


@pytest.mark.parametrize("verb", ["demo", "doctor", "benchwright"])
def test_commands_have_what_they_need(clone: Clone, verb: str) -> None:
    """One step on a fresh clone: the extras of all commands are there, and messages name the script."""
    said = clone.say(verb)

    assert (0, "./run benchwright\n", [f"uv {SYNC} {EXTRAS}"]) == (
        said.returncode,
        said.stdout,
        clone.asked("uv"),
    )


@pytest.mark.parametrize("arguments", [[], ["rust"], ["java", "rust"]])
def test_setup_explains_itself(clone: Clone, arguments: list[str]) -> None:
    """Without a language, or with one that there is no setup for, nothing is done."""
    said = clone.say("setup", *arguments)

    assert (said.returncode, "./run setup java go" in said.stderr, clone.log.read_text()) == (2, True, "")


def test_setup_installs_what_is_absent(clone: Clone) -> None:
    """Java from the system's packages, Go into the environment of the clone."""
    said = clone.say("setup", "java", "go")

    assert (said.returncode, "java: ready" in said.stderr, "go: ready" in said.stderr) == (0, True, True)
    assert clone.asked("apt-get")[-1] == f"{APT} openjdk-17-jdk-headless junit5 junit4 libjavatuples-java"
    assert clone.asked("uv")[-1] == f"uv {SYNC} {EXTRAS} --extra go"


def test_setup_a_second_time(clone: Clone) -> None:
    """What is ready is not installed again."""
    clone.say("setup", "java", "go")
    clone.log.write_text("")
    said = clone.say("setup", "java", "go")

    assert (said.returncode, clone.asked("apt-get"), len(clone.asked("uv"))) == (0, [], 1)


EXTRAS_OF_THE_PACKAGE = tomllib.loads((RUN.parent / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


@pytest.mark.parametrize("extra", sorted(EXTRAS_OF_THE_PACKAGE.keys() - {"go"}))
def test_setup_of_an_extra(clone: Clone, extra: str) -> None:
    """What a hint of the package names is installed into the clone's environment; there is no pip in it."""
    said = clone.say("setup", extra)

    assert (said.returncode, f"{extra}: ready" in said.stderr) == (0, True)
    assert clone.asked("uv")[-1] == f"uv {SYNC} {EXTRAS} --extra {extra}"


@pytest.mark.parametrize("profile", ["sklearn", "torch"])
def test_setup_of_a_profile(clone: Clone, profile: str) -> None:
    """The package installs it, into the clone's folder of profiles, which all its commands know."""
    clone.tool(".venv/bin/benchwright", 'echo "$BENCHWRIGHT_PROFILES"')
    said = clone.say("setup", profile, BENCHWRIGHT_PROFILES="")

    assert (said.returncode, said.stdout) == (0, f"{clone.folder / '.profiles'}\n")
    assert clone.asked("benchwright") == [f"benchwright setup {profile}"]


def test_a_profile_that_cannot_be_had(clone: Clone) -> None:
    """Its exit code is that of the script, and what else was asked for is done."""
    clone.tool(".venv/bin/benchwright", "exit 3")
    said = clone.say("setup", "torch", "java")

    assert (said.returncode, "java: ready" in said.stderr) == (3, True)


def test_setup_on_a_system_with_a_newer_jdk(clone: Clone) -> None:
    """Where Debian has no JDK 17 any more, its default one is taken."""
    clone.say("setup", "java", CANDIDATE="(none)")

    assert clone.asked("apt-get")[-1] == f"{APT} default-jdk-headless junit5 junit4 libjavatuples-java"


def test_setup_as_an_ordinary_user(clone: Clone) -> None:
    """The command for root is told, nothing of the system is touched, and Go is installed all the same."""
    said = clone.say("setup", "java", "go", USER_ID="1000")
    hint = "hint: sudo apt-get install --no-install-recommends openjdk-17-jdk-headless junit5 junit4 libjavatuples-java"

    assert (
        said.returncode,
        clone.asked("apt-get"),
        hint in said.stderr,
        "go: ready" in said.stderr,
    ) == (3, [], True, True)


def test_setup_that_fails(clone: Clone) -> None:
    """A package manager that fails is no success."""
    clone.tool("tools/apt-get", "exit 100")
    said = clone.say("setup", "java")

    assert (said.returncode, "apt-get could not install" in said.stderr) == (3, True)


def test_docs_have_their_own_group(clone: Clone) -> None:
    """The site is built strictly; what builds it is no part of what commands need."""
    said = clone.say("docs", "--site-dir", "elsewhere")

    assert said.returncode == 3  # the stand-in for Python knows no such module
    assert clone.asked("uv") == [f"uv {SYNC} --no-dev --group docs"]
    assert clone.asked("python") == ["python -m mkdocs build --strict --quiet --site-dir elsewhere"]


def test_unknown_verbs(clone: Clone) -> None:
    """The usage names setup."""
    said = clone.say("install")

    assert (said.returncode, "setup NAME…" in said.stderr) == (2, True)

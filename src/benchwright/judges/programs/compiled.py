"""Programs in C, C++ and Rust: one executable file, run with the system's libraries alone."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.judges.programs.toolchain import WORK, BuildStep, ProgramPlan, environment, system_binds
from benchwright.lang.program_languages import program_language

_RUST = "/rust"  # a toolchain's place in the jail: rustup's own is below a home folder
_QUERY_S = 60


class CFamily:
    """A compiler of C or C++: the first of `commands` that is installed."""

    def __init__(self, lang: str, commands: tuple[str, ...], flags: tuple[str, ...], package: str) -> None:
        self._lang, self._commands, self._flags, self._package = lang, commands, flags, package

    @cached_property
    def _compiler(self) -> Path:
        found = (path for name in self._commands if (path := shutil.which(name)))
        if (path := next(found, None)) is None:
            message = f"no compiler of {self._lang} is installed: looked for {', '.join(self._commands)}"
            raise PrerequisiteError(message, hint=f"apt-get install {self._package}")
        return Path(path).resolve()

    def versions(self) -> Mapping[str, str]:
        """Return the compiler's version."""
        return {self._commands[0]: _tool_output(str(self._compiler), "-dumpfullversion", "-dumpversion")}

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return the compiler's command, and the program."""
        source = program_language(self._lang).file_of(code).path
        argv = (str(self._compiler), *self._flags, "-o", "main", source, "-lm")
        return ProgramPlan(
            source=source,
            steps=(BuildStep(argv=argv, collect=("main",)),),
            building=environment(f"build-{self._lang}", system_binds(self._compiler)),
            run=(f"{WORK}/main",),
            running=environment("program"),
            files=("main",),
        )


class Rust:
    """The compiler of Rust, and the C compiler that links for it."""

    @cached_property
    def _root(self) -> Path:
        command = shutil.which("rustc")
        if command is None:
            raise PrerequisiteError("rustc is not installed", hint="apt-get install rustc")
        return Path(_tool_output(command, "--print", "sysroot")).resolve()

    @cached_property
    def _linker(self) -> str:
        """Return the real path of `cc`: links through /etc/alternatives end outside of the jail."""
        if (path := shutil.which("cc")) is None:
            message = "cc is not installed, which links programs of rustc"
            raise PrerequisiteError(message, hint="apt-get install gcc libc6-dev")
        return str(Path(path).resolve())

    def versions(self) -> Mapping[str, str]:
        """Return the compiler's version."""
        return {"rustc": _tool_output(str(self._root / "bin/rustc"), "--version").split()[1]}

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return the compiler's command, and the program."""
        inside = str(self._root) if self._root.is_relative_to("/usr") else _RUST
        own = () if inside != _RUST else ((str(self._root), _RUST),)
        flags = ("--edition", "2021", "-C", "opt-level=2", "-C", f"linker={self._linker}", "-A", "warnings")
        argv = (f"{inside}/bin/rustc", *flags, "-o", "main", "main.rs")
        return ProgramPlan(
            source="main.rs",
            steps=(BuildStep(argv=argv, collect=("main",)),),
            building=environment("build-Rust", (("/usr", "/usr"), *own), runtime=True),
            run=(f"{WORK}/main",),
            running=environment("program"),
            files=("main",),
        )


def _tool_output(*command: str) -> str:
    """Return what a tool of this machine prints. Raises PrerequisiteError if it fails."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=_QUERY_S, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise PrerequisiteError(f"{command[0]} does not work: {error}", hint=" ".join(command)) from None
    return result.stdout.strip()


C = CFamily("C", ("gcc", "cc", "clang"), ("-std=gnu17", "-O2", "-w"), "gcc libc6-dev")
CPP = CFamily("C++", ("g++", "c++", "clang++"), ("-std=gnu++17", "-O2", "-w"), "g++")
RUST = Rust()

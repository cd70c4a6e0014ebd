"""Languages whose commands a task names: any program of this machine, run in the sandbox like the others."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from benchwright.contracts import ProgramCommands
from benchwright.errors import PrerequisiteError
from benchwright.judges.programs.toolchain import (
    WORK,
    BuildStep,
    ProgramPlan,
    Toolchain,
    environment,
    system_binds,
)
from benchwright.registry import TOOLCHAINS, load

_RUNTIME_MB, _START_CPU_S = 128, 0.5


class CommandToolchain:
    """The commands of a task. Their programs are looked up on PATH of this process, not of the jail."""

    def __init__(self, lang: str, commands: ProgramCommands) -> None:
        self._lang, self._commands = lang, commands

    def versions(self) -> Mapping[str, str]:
        """Return the path of each program: how to ask for a version differs."""
        return {
            words[0]: str(self._program(words[0])) for words in (*self._commands.build, self._commands.run)
        }

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return the commands. What a build makes in its folder is there for the run."""
        built, run = self._commands.build, self._commands.run
        programs = [self._program(words[0]) for words in (*built, run)]
        outside = (program for program in programs if not program.is_relative_to(WORK))
        binds = dict.fromkeys(bind for program in outside for bind in system_binds(program))
        seen = environment(f"commands-{'-'.join(path for path, _ in binds)}", tuple(binds), runtime=True)
        steps = tuple(BuildStep(argv=self._argv(words), collect=(".",)) for words in built)
        return ProgramPlan(
            source=self._commands.source,
            steps=steps,
            building=seen if steps else None,
            run=self._argv(run),
            running=seen,
            files=(".",) if steps else (),
            runtime_mb=_RUNTIME_MB,
            start_cpu_s=_START_CPU_S,
        )

    def _argv(self, words: list[str]) -> tuple[str, ...]:
        return (str(self._program(words[0])), *words[1:])

    def _program(self, name: str) -> Path:
        """Return the program's path; a name with a slash is a file of the program's own folder."""
        if "/" in name:
            return Path(WORK) / name
        if (path := shutil.which(name)) is None:
            message = f"{name} is not installed, which the task's commands for {self._lang} start"
            raise PrerequisiteError(message, hint=f"install {name}, or leave these tasks out")
        return Path(path).resolve()


def open_toolchain(lang: str, commands: ProgramCommands | None) -> Toolchain:
    """Return the toolchain of a language, or of a task's own commands."""
    if commands is not None:
        return CommandToolchain(lang, commands)
    found: Toolchain = load(TOOLCHAINS[lang])
    return found

"""Programs in Go: compile and link against the cached archives of the standard library."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from benchwright.judges.programs.toolchain import WORK, BuildStep, ProgramPlan, environment
from benchwright.judges.suites.go_library import JAILED, Library, prepare_library, provide, read_source
from benchwright.judges.suites.go_toolchain import GoToolchain, find_toolchain

_SOURCE = "main.go"


class GoProgramTools:
    """The Go toolchain of this machine, and its compiled library."""

    @cached_property
    def _toolchain(self) -> GoToolchain:
        return find_toolchain()

    @cached_property
    def _library(self) -> Library:
        return prepare_library(self._toolchain)

    def versions(self) -> Mapping[str, str]:
        """Return the version of Go."""
        return self._toolchain.versions

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return the commands of the compiler and the linker. Raises SandboxError as `provide` does."""
        tools, library = self._toolchain.jailed_tools, self._library
        packages = frozenset({each.module for each in read_source(code).imports} & library.public) | {
            "runtime"
        }
        provide(library, self._toolchain, packages)
        compiler = (
            f"{tools}/compile",
            "-o",
            "main.a",
            "-p",
            "main",
            "-importcfg",
            "public",
            "-pack",
            _SOURCE,
        )
        return ProgramPlan(
            source=_SOURCE,
            steps=(
                BuildStep(argv=compiler, collect=("main.a",)),
                BuildStep(
                    argv=(f"{tools}/link", "-importcfg", "all", "-s", "-o", "main", "main.a"),
                    collect=("main",),
                ),
            ),
            building=environment(
                "build-Go", (*self._toolchain.binds, (library.folder, JAILED)), runtime=True
            ),
            run=(f"{WORK}/main",),
            running=environment("go-program", runtime=True),
            extra_files={"public": library.config(packages).encode(), "all": library.config().encode()},
            files=("main",),
            runtime_mb=64,
        )


GO = GoProgramTools()

"""Programs in Java: javac, then the class with `main` in a JVM whose heap is the task's memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from benchwright.judges.programs.toolchain import BuildStep, ProgramPlan, environment
from benchwright.judges.suites.java_toolchain import find_jdk, java_version, jdk_binds
from benchwright.lang.program_languages import program_language

_SMALL = ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1")
_STACK_MB = 64


class JavaPrograms:
    """The JDK of this machine."""

    @cached_property
    def _jdk(self) -> Path:
        return find_jdk()

    def versions(self) -> Mapping[str, str]:
        """Return the version of the JDK."""
        return {"java": java_version(self._jdk)}

    def plan(self, code: str, *, memory_mb: int) -> ProgramPlan:
        """Return the commands of javac and java."""
        file = program_language("Java").file_of(code)
        seen = environment("jdk", jdk_binds(self._jdk), runtime=True, open_files=1024)
        flags = ("-encoding", "UTF-8", "-nowarn", "-proc:none", "-d", "out")
        compiler = (f"{self._jdk}/bin/javac", *(f"-J{flag}" for flag in _SMALL), *flags, file.path)
        heap = (f"-Xmx{memory_mb}m", f"-Xss{_STACK_MB}m", *_SMALL[:2])
        return ProgramPlan(
            source=file.path,
            steps=(BuildStep(argv=compiler, collect=("out",)),),
            building=seen,
            run=(f"{self._jdk}/bin/java", *heap, "-cp", "out", file.entry),
            running=seen,
            files=("out",),
            runtime_mb=256,
            start_cpu_s=1.0,
        )


JAVA = JavaPrograms()

"""The Go runner for tests; skips if Go is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from benchwright.judges.suites.go import GoSuites
from benchwright.judges.suites.go_toolchain import GoToolchain, find_toolchain
from benchwright.sandbox.limits import Limits
from kit.needs import need_ready

SHORT = Limits(cpu_s=1.0, wall_s=20.0, memory_mb=512, processes=256, tmp_mb=64, output_bytes=64 << 20)


def need_go() -> GoToolchain:
    """Return the toolchain, or skip with a hint how to install one."""
    return need_ready(find_toolchain, "no Go suite can be run")


@contextmanager
def go_runner(*, sharing: str = "auto", jail: str = "auto") -> Iterator[GoSuites]:
    """Return a runner with short limits."""
    need_go()
    with GoSuites(limits=SHORT, compile_cpu_s=8.0, sharing=sharing, jail=jail) as runner:
        yield runner

"""Builds zygote.c: python -m benchwright.sandbox.compiled.build [FOLDER]. CC names the compiler, else gcc.

Flags are pinned, and nothing of a libc, of the time or of a path goes in: the same compiler and linker give
the same bytes. sums.txt says which ones did, and from which source: where they are not installed, a source
that was changed alone is still noticed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.sandbox.zygote_object import FOLDER, SUMS, sum_line

SOURCE = "zygote.c"
SOURCES = (SOURCE, "system_calls.h")
FLAGS = (
    *("-std=c11", "-O2", "-ffreestanding", "-fPIC", "-Wall", "-Wextra", "-Werror", "-pedantic"),
    # Nothing that would need a libc, or tell of the compiler.
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-tree-loop-distribute-patterns"),
    *("-fno-ident", "-nostdlib", "-shared", "-s"),
    # Few mappings, since a fork copies each; and no symbol that is not defined here.
    *("-Wl,-z,noseparate-code", "-Wl,-z,norelro", "-Wl,-z,noexecstack", "-Wl,-z,defs"),
    *("-Wl,--build-id=none", "-Wl,--hash-style=sysv"),
)
MACHINE_FLAGS = {
    "x86_64": ("-march=x86-64", "-mtune=generic", "-fcf-protection=none"),
    "aarch64": ("-march=armv8-a", "-mtune=generic", "-mno-outline-atomics"),
}


def main(arguments: list[str]) -> int:
    """Build into a folder, by default beside the source, and write the sums of source and object."""
    folder = Path(arguments[0]) if arguments else FOLDER
    made = build(folder)
    summed = [*(FOLDER / name for name in SOURCES), made]
    lines = [*(f"# {line}" for line in tools()), *(sum_line(each.name, each.read_bytes()) for each in summed)]
    (folder / SUMS).write_text("\n".join(lines) + "\n", encoding="ascii")
    sys.stdout.write(f"{made}\n")
    return 0


def build(folder: Path) -> Path:
    """The file that was built there. Raises PrerequisiteError without a compiler for a known machine."""
    machine = _said("-dumpmachine").split("-")[0]
    if machine not in MACHINE_FLAGS:
        raise PrerequisiteError(
            f"{_compiler()} builds for {machine}, and system calls are known for "
            f"{' and '.join(MACHINE_FLAGS)} alone",
            hint="CC=aarch64-linux-gnu-gcc python -m benchwright.sandbox.compiled.build",
        )
    made = folder / f"zygote-{machine}.so"
    command = [_compiler(), *FLAGS, *MACHINE_FLAGS[machine], "-o", str(made.resolve()), SOURCE]
    subprocess.run(command, cwd=FOLDER, check=True)
    made.chmod(0o644)
    return made


def tools() -> list[str]:
    """The compiler and the linker, as they name themselves. Raises PrerequisiteError where there is none."""
    linker = _said("-print-prog-name=ld").strip()
    done = subprocess.run([linker, "--version"], capture_output=True, text=True, check=True)
    return [_said("--version").splitlines()[0], done.stdout.splitlines()[0]]


def _said(option: str) -> str:
    try:
        done = subprocess.run([_compiler(), option], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        raise PrerequisiteError(f"{_compiler()} is not installed", hint="apt-get install gcc") from None
    return done.stdout


def _compiler() -> str:
    return os.environ.get("CC", "gcc")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

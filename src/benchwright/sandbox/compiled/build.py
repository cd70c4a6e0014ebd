"""Builds zygote.c for each machine that has it: python -m benchwright.sandbox.compiled.build [FOLDER].

Flags are pinned, and nothing of a libc, of the time or of a path goes in: the same compiler and linker give
the same bytes. sums.txt says which ones did, and from which source: where they are not installed, a source
that was changed alone is still noticed.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.sandbox.inside import linux
from benchwright.sandbox.zygote_object import FOLDER, SUMS, object_name, sum_line

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
    # Its kernels have pages of 4, 16 or 64 KiB: segments begin at multiples of the largest.
    "aarch64": (
        *("-march=armv8-a", "-mtune=generic", "-mno-outline-atomics", "-mbranch-protection=none"),
        "-Wl,-z,max-page-size=65536",
    ),
}


def main(arguments: list[str]) -> int:
    """Build for all machines into a folder, by default beside the source, and write the sums of it all."""
    folder = Path(arguments[0]) if arguments else FOLDER
    made = [build(machine, folder) for machine in MACHINE_FLAGS]
    by = [f"# {object_name(machine)}: {tools(machine)}" for machine in MACHINE_FLAGS]
    summed = [*(FOLDER / name for name in SOURCES), *made]
    lines = [*by, *(sum_line(each.name, each.read_bytes()) for each in summed)]
    (folder / SUMS).write_text("\n".join(lines) + "\n", encoding="ascii")
    sys.stdout.write("".join(f"{each}\n" for each in made))
    return 0


def build(machine: str, folder: Path) -> Path:
    """The file that was built there for a machine of MACHINE_FLAGS. Raises PrerequisiteError without a
    compiler for it."""
    made = folder / object_name(machine)
    command = [compiler(machine), *FLAGS, *MACHINE_FLAGS[machine], "-o", str(made.resolve()), SOURCE]
    _said(command, folder=FOLDER)
    made.chmod(0o644)
    return made


def tools(machine: str) -> str:
    """The compiler and the linker for a machine, as they name themselves. Raises PrerequisiteError where
    there is none."""
    linker = _said([compiler(machine), "-print-prog-name=ld"]).strip()
    versions = [_said([tool, "--version"]).splitlines()[0] for tool in (compiler(machine), linker)]
    return ", ".join(versions)


def compiler(machine: str) -> str:
    """What Debian calls the compiler for a machine, on that machine and on others."""
    return f"{machine}-linux-gnu-gcc"


def _said(command: list[str], *, folder: Path | None = None) -> str:
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    except FileNotFoundError:
        others = [
            f"gcc-{each.replace('_', '-')}-linux-gnu" for each in MACHINE_FLAGS if each != linux.MACHINE
        ]
        hint = f"apt-get install {' '.join(['gcc', *others])}"
        raise PrerequisiteError(f"{command[0]} is not installed", hint=hint) from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

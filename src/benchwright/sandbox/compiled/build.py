"""Build of zygote.c for x86-64: python -m benchwright.sandbox.compiled.build [FOLDER].

Flags are pinned, and the object depends on no libc, time or path: the same compiler and linker give the same
bytes. sums.txt records them with the checksums of the sources, so that a change of the source without a
build is detected.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from benchwright.errors import PrerequisiteError
from benchwright.sandbox.zygote_object import FOLDER, OBJECT, SUMS, sum_line

SOURCE = "zygote.c"
SOURCES = (SOURCE, "answer.h", "system_calls.h")
FLAGS = (
    *("-std=c11", "-O2", "-ffreestanding", "-fPIC", "-Wall", "-Wextra", "-Werror", "-pedantic"),
    # No code that needs a libc, and no trace of the compiler.
    *("-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-tree-loop-distribute-patterns"),
    *("-fno-ident", "-nostdlib", "-shared", "-s"),
    # Few mappings, since a fork copies each; and no symbol that is not defined here.
    *("-Wl,-z,noseparate-code", "-Wl,-z,norelro", "-Wl,-z,noexecstack", "-Wl,-z,defs"),
    *("-Wl,--build-id=none", "-Wl,--hash-style=sysv"),
    *("-march=x86-64", "-mtune=generic", "-fcf-protection=none"),
)
COMPILER = "x86_64-linux-gnu-gcc"  # Debian's name for it, on that machine and on others


def main(arguments: list[str]) -> int:
    """Build into a folder, by default that of the source, and write the checksums of source and object."""
    folder = Path(arguments[0]) if arguments else FOLDER
    built = build(folder)
    summed = [*(FOLDER / name for name in SOURCES), built]
    lines = [f"# {OBJECT}: {tools()}", *(sum_line(each.name, each.read_bytes()) for each in summed)]
    (folder / SUMS).write_text("\n".join(lines) + "\n", encoding="ascii")
    sys.stdout.write(f"{built}\n")
    return 0


def build(folder: Path) -> Path:
    """Build the object into a folder and return its path. Raises PrerequisiteError without the compiler."""
    built = folder / OBJECT
    _output([COMPILER, *FLAGS, "-o", str(built.resolve()), SOURCE], folder=FOLDER)
    built.chmod(0o644)
    return built


def tools() -> str:
    """Return the versions of compiler and linker. Raises PrerequisiteError without them."""
    linker = _output([COMPILER, "-print-prog-name=ld"]).strip()
    return ", ".join(_output([tool, "--version"]).splitlines()[0] for tool in (COMPILER, linker))


def _output(command: list[str], *, folder: Path | None = None) -> str:
    try:
        return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    except FileNotFoundError:
        hint = "apt-get install gcc-x86-64-linux-gnu"
        raise PrerequisiteError(f"{command[0]} is not installed", hint=hint) from None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

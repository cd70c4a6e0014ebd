"""The shipped object is what the source beside it gives, and holds what it promises to hold."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.sandbox.compiled import build
from benchwright.sandbox.inside import linux
from benchwright.sandbox.inside.seccomp import DENIED
from benchwright.sandbox.zygote_object import FOLDER, SUMS, sum_line
from kit.needs import need

SHIPPED = FOLDER / "zygote-x86_64.so"
HEADER = (FOLDER / "system_calls.h").read_text()
CALLS = re.findall(r"NR_(\w+) = (\d+)", HEADER)
_LOAD, _DYNAMIC = 1, 2
_WRITE, _EXECUTE = 2, 1
_NEEDED, _RELOCATIONS = 1, (7, 17, 23)  # DT_NEEDED; DT_RELA, DT_REL, DT_JMPREL


def _sums() -> list[str]:
    return (FOLDER / SUMS).read_text(encoding="ascii").splitlines()


def test_the_same_tools_build_the_same_bytes(tmp_path: Path) -> None:
    """With the compiler and the linker that sums.txt names; others may well give other bytes."""
    need("gcc", "rebuilds the zygote's object")
    named = [line.removeprefix("# ") for line in _sums() if line.startswith("# ")]
    if build.tools() != named:
        pytest.skip(f"built by {' and '.join(named)}; here are {' and '.join(build.tools())}")
    built = build.build(tmp_path)

    assert (built.name, built.read_bytes() == SHIPPED.read_bytes()) == (SHIPPED.name, True)


def test_every_file_has_its_sum_and_every_sum_its_file() -> None:
    """Nothing is shipped that would not be checked; and a source that was changed without a build is noticed."""
    paths = [*(FOLDER / name for name in build.SOURCES), *sorted(FOLDER.glob("*.so"))]
    lines = [sum_line(path.name, path.read_bytes()) for path in paths]

    assert lines == [line for line in _sums() if not line.startswith("#")]
    assert sorted(build.SOURCES) == sorted(path.name for path in FOLDER.glob("*.[ch]"))


def test_the_command_builds_and_sums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into another folder: the file, its sum, and which tools made it."""
    need("gcc", "builds the zygote's object")
    status = build.main([str(tmp_path)])
    (made,) = tmp_path.glob("*.so")
    lines = (tmp_path / SUMS).read_text().splitlines()

    assert (status, capsys.readouterr().out) == (0, f"{made}\n")
    assert lines[:2] == [f"# {tool}" for tool in build.tools()]
    assert [line.split()[2] for line in lines[2:]] == ["zygote.c", "system_calls.h", made.name]
    assert lines[-1] == sum_line(made.name, made.read_bytes())


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install."""
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(PrerequisiteError, match="no-such-compiler is not installed") as caught:
        build.build(tmp_path)

    assert caught.value.hint == "apt-get install gcc"


def test_a_compiler_for_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No system call numbers are guessed."""
    compiler = tmp_path / "cc"
    compiler.write_text("#!/bin/sh\necho riscv64-linux-gnu\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CC", str(compiler))
    with pytest.raises(PrerequisiteError, match="builds for riscv64"):
        build.build(tmp_path)


def _program_headers() -> list[tuple[int, int, int, int]]:
    """Type, flags, offset and size in the file of each segment (ELF-64, elf(5))."""
    content = SHIPPED.read_bytes()
    (start,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    found = (struct.unpack_from("<IIQQQQ", content, start + number * size) for number in range(count))
    return [(kind, flags, offset, length) for kind, flags, offset, _, _, length in found]


def test_it_needs_nothing_and_is_not_patched() -> None:
    """No other library, and no relocation: the bytes that are checked are the bytes that run."""
    content = SHIPPED.read_bytes()
    ((offset, size),) = [(where, length) for kind, _, where, length in _program_headers() if kind == _DYNAMIC]
    tags = {struct.unpack_from("<Q", content, place)[0] for place in range(offset, offset + size, 16)}

    assert not tags & {_NEEDED, *_RELOCATIONS}


def test_nothing_of_it_is_writable_and_executable() -> None:
    """One mapping to execute, one of what the loader notes, and no executable stack."""
    both = [flags for _, flags, _, _ in _program_headers() if flags & _WRITE and flags & _EXECUTE]
    loaded = [flags for kind, flags, _, _ in _program_headers() if kind == _LOAD]

    assert (both, len(loaded)) == ([], 2)


def test_numbers_are_those_the_python_side_has() -> None:
    """Of the calls that both know, on both machines."""
    half = len(CALLS) // 2
    by_machine = [dict(CALLS[:half]), dict(CALLS[half:])]
    known = {"mount": DENIED["mount"], "clone": (56, 220), "capset": (126, 91)}
    assert linux._SYSCALLS["x86_64"]["clone"], linux._SYSCALLS["aarch64"]["clone"] == known["clone"]

    assert [each.keys() for each in by_machine] == [by_machine[0].keys()] * 2
    for name, numbers in known.items():
        assert tuple(int(each[name]) for each in by_machine) == numbers


@pytest.mark.parametrize(
    ("place", "header"), [(0, "asm/unistd.h"), (1, "asm-generic/unistd.h")], ids=["x86_64", "aarch64"]
)
def test_numbers_are_those_of_the_kernels_headers(place: int, header: str) -> None:
    """AArch64 has the generic ones. Skipped where the headers are not installed, or are another machine's."""
    compiler = shutil.which("gcc")
    if compiler is None or (place == 0 and linux.MACHINE != "x86_64"):
        pytest.skip("gcc is not installed, or has the headers of another machine")
    done = subprocess.run(
        [compiler, "-E", "-dM", "-"],
        input=f"#include <{header}>\n",
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"the kernel's headers are not installed: {done.stderr.splitlines()[0]}")
    defined = dict(re.findall(r"#define __NR_(\w+) (\d+)$", done.stdout, re.MULTILINE))
    half = len(CALLS) // 2
    ours = dict(CALLS[:half] if place == 0 else CALLS[half:])

    assert ours == {name: defined[name] for name in ours}

"""The shipped object is the build of the source next to it, and has the required properties."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.sandbox.compiled import build
from benchwright.sandbox.inside import linux
from benchwright.sandbox.inside.seccomp import DENIED
from benchwright.sandbox.zygote_object import FOLDER, MACHINE, OBJECT, SUMS, sum_line
from kit.needs import need, need_that

HEADER = (FOLDER / "system_calls.h").read_text()
CALLS = {name: int(number) for name, number in re.findall(r"NR_(\w+) = (\d+)", HEADER)}
_X86_64, _PAGE = 62, 4096
_LOAD, _DYNAMIC = 1, 2
_WRITE, _EXECUTE = 2, 1
_NEEDED, _RELOCATIONS = 1, (7, 17, 23)  # DT_NEEDED; DT_RELA, DT_REL, DT_JMPREL


class Segment(NamedTuple):
    """A program header of ELF-64 (elf(5))."""

    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    size: int
    memory: int
    alignment: int


def _shipped() -> bytes:
    return (FOLDER / OBJECT).read_bytes()


def _sums() -> list[str]:
    return (FOLDER / SUMS).read_text(encoding="ascii").splitlines()


def test_the_same_tools_build_the_same_bytes(tmp_path: Path) -> None:
    """With the compiler and the linker in sums.txt; others may produce other bytes."""
    need(build.COMPILER, "rebuilds the zygote's object")
    (named,) = [line.partition(": ")[2] for line in _sums() if line.startswith(f"# {OBJECT}")]
    need_that(build.tools() == named, f"built by {named}; here are {build.tools()}")
    built = build.build(tmp_path)

    assert (built.name, built.read_bytes() == _shipped()) == (OBJECT, True)


def test_every_file_has_its_sum_and_every_sum_its_file() -> None:
    """No unverified file is shipped, and a source that was changed without a build is detected."""
    paths = [FOLDER / name for name in (*build.SOURCES, OBJECT)]
    lines = [sum_line(path.name, path.read_bytes()) for path in paths]

    assert lines == [line for line in _sums() if not line.startswith("#")]
    assert sorted(path.name for path in paths) == sorted(
        path.name for path in FOLDER.glob("*.[chs]*") if path.suffix != ".txt"
    )


def test_the_command_builds_and_sums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It writes the object, the sums and the versions of the tools into another folder."""
    need(build.COMPILER, "builds the zygote's object")
    status = build.main([str(tmp_path)])
    built = tmp_path / OBJECT
    lines = (tmp_path / SUMS).read_text().splitlines()

    assert (status, capsys.readouterr().out) == (0, f"{built}\n")
    assert lines == [
        f"# {OBJECT}: {build.tools()}",
        *(line for line in _sums() if line.endswith((".c", ".h"))),
        sum_line(built.name, built.read_bytes()),
    ]


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error says what to install."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PrerequisiteError, match="x86_64-linux-gnu-gcc is not installed") as caught:
        build.main([str(tmp_path)])

    assert caught.value.hint == "apt-get install gcc-x86-64-linux-gnu"
    assert list(tmp_path.iterdir()) == []


def _segments() -> list[Segment]:
    content = _shipped()
    (start,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    return [Segment(*struct.unpack_from("<II6Q", content, start + number * size)) for number in range(count)]


def test_it_is_a_small_object_of_its_machine() -> None:
    """ELF, 64 bits, little-endian, shared; a few kB, none of which a fork copies."""
    content = _shipped()

    assert content[:6] == b"\x7fELF\x02\x01"
    assert struct.unpack_from("<HH", content, 16) == (3, _X86_64)
    assert len(content) < 8192


def test_it_needs_nothing_and_is_not_patched() -> None:
    """It needs no other library and no relocation: the verified bytes are the executed ones."""
    content = _shipped()
    (dynamic,) = [each for each in _segments() if each.kind == _DYNAMIC]
    places = range(dynamic.offset, dynamic.offset + dynamic.size, 16)
    tags = {struct.unpack_from("<Q", content, place)[0] for place in places}

    assert not tags & {_NEEDED, *_RELOCATIONS}


def test_nothing_of_it_is_writable_and_executable() -> None:
    """One executable mapping, one for the loader's data, and no executable stack."""
    both = [each for each in _segments() if each.flags & _WRITE and each.flags & _EXECUTE]
    code, noted = [each for each in _segments() if each.kind == _LOAD]

    assert (both, code.flags & _WRITE, noted.flags & _EXECUTE) == ([], 0, 0)
    assert (code.alignment, noted.alignment) == (_PAGE, _PAGE)
    assert (code.address + code.memory - 1) // _PAGE < noted.address // _PAGE


def test_numbers_are_those_the_python_side_has() -> None:
    """Numbers of calls on both sides are equal."""
    known = {name: numbers[0] for name, numbers in DENIED.items() if name in CALLS}
    known |= {name: number for name, number in linux._SYSCALLS[MACHINE].items() if name in CALLS}

    assert sorted(known) == ["capset", "clone", "mount"]
    assert known == {name: CALLS[name] for name in known}


def test_numbers_are_those_of_the_kernels_headers() -> None:
    """As the compiler reads asm/unistd.h."""
    compiler = need(build.COMPILER, "reads the kernel's headers")
    command = [compiler, "-E", "-dM", "-"]
    done = subprocess.run(
        command, input="#include <asm/unistd.h>\n", capture_output=True, text=True, check=False
    )
    need_that(done.returncode == 0, f"asm/unistd.h of the kernel is not there: {done.stderr[:200]}")
    defined = dict(re.findall(r"#define __NR_(\w+) (\d+)$", done.stdout, re.MULTILINE))

    assert {name: int(defined[name]) for name in CALLS} == CALLS

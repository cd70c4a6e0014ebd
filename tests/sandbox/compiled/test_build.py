"""The shipped object is what the source beside it gives, and holds what it promises to hold."""

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
from benchwright.sandbox.zygote_object import FOLDER, SUMS, object_name, sum_line
from kit.needs import need, need_that

MACHINES = tuple(build.MACHINE_FLAGS)
HEADER = (FOLDER / "system_calls.h").read_text()
CALLS = re.findall(r"NR_(\w+) = (\d+)", HEADER)
_ELF_MACHINE = {"x86_64": 62, "aarch64": 183}
_LARGEST_PAGE = {"x86_64": 4096, "aarch64": 65536}
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


def _shipped(machine: str) -> bytes:
    return (FOLDER / object_name(machine)).read_bytes()


def _sums() -> list[str]:
    return (FOLDER / SUMS).read_text(encoding="ascii").splitlines()


def _calls(machine: str) -> dict[str, int]:
    half = len(CALLS) // 2
    ours = CALLS[:half] if machine == MACHINES[0] else CALLS[half:]
    return {name: int(number) for name, number in ours}


@pytest.mark.parametrize("machine", MACHINES)
def test_the_same_tools_build_the_same_bytes(machine: str, tmp_path: Path) -> None:
    """With the compiler and the linker that sums.txt names; others may well give other bytes."""
    need(build.compiler(machine), "rebuilds the zygote's object")
    (named,) = [line.partition(": ")[2] for line in _sums() if line.startswith(f"# {object_name(machine)}")]
    need_that(build.tools(machine) == named, f"built by {named}; here are {build.tools(machine)}")
    built = build.build(machine, tmp_path)

    assert (built.name, built.read_bytes() == _shipped(machine)) == (object_name(machine), True)


def test_every_file_has_its_sum_and_every_sum_its_file() -> None:
    """Nothing is shipped that would not be checked; and a source that was changed without a build is noticed."""
    paths = [FOLDER / name for name in (*build.SOURCES, *map(object_name, MACHINES))]
    lines = [sum_line(path.name, path.read_bytes()) for path in paths]

    assert lines == [line for line in _sums() if not line.startswith("#")]
    assert sorted(path.name for path in paths) == sorted(
        path.name for path in FOLDER.glob("*.[chs]*") if path.suffix != ".txt"
    )


def test_the_command_builds_and_sums(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Into another folder: a file for each machine, its sum, and which tools made it."""
    for machine in MACHINES:
        need(build.compiler(machine), "builds the zygote's object")
    status = build.main([str(tmp_path)])
    made = [tmp_path / object_name(machine) for machine in MACHINES]
    lines = (tmp_path / SUMS).read_text().splitlines()

    assert (status, capsys.readouterr().out) == (0, "".join(f"{path}\n" for path in made))
    assert lines[:2] == [f"# {object_name(machine)}: {build.tools(machine)}" for machine in MACHINES]
    assert lines[2:4] == [line for line in _sums() if line.endswith((".c", ".h"))]
    assert lines[4:] == [sum_line(path.name, path.read_bytes()) for path in made]


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what to install, for both machines."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(linux, "MACHINE", "x86_64")
    with pytest.raises(PrerequisiteError, match="x86_64-linux-gnu-gcc is not installed") as caught:
        build.main([str(tmp_path)])

    assert caught.value.hint == "apt-get install gcc gcc-aarch64-linux-gnu"
    assert list(tmp_path.iterdir()) == []


def _segments(machine: str) -> list[Segment]:
    content = _shipped(machine)
    (start,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    return [Segment(*struct.unpack_from("<II6Q", content, start + number * size)) for number in range(count)]


@pytest.mark.parametrize("machine", MACHINES)
def test_it_is_a_small_object_of_its_machine(machine: str) -> None:
    """ELF, 64 bits, little-endian, shared; a few kB, of which a fork copies nothing."""
    content = _shipped(machine)

    assert content[:6] == b"\x7fELF\x02\x01"
    assert struct.unpack_from("<HH", content, 16) == (3, _ELF_MACHINE[machine])
    assert len(content) < 8192


@pytest.mark.parametrize("machine", MACHINES)
def test_it_needs_nothing_and_is_not_patched(machine: str) -> None:
    """No other library, and no relocation: the bytes that are checked are the bytes that run."""
    content = _shipped(machine)
    (dynamic,) = [each for each in _segments(machine) if each.kind == _DYNAMIC]
    places = range(dynamic.offset, dynamic.offset + dynamic.size, 16)
    tags = {struct.unpack_from("<Q", content, place)[0] for place in places}

    assert not tags & {_NEEDED, *_RELOCATIONS}


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_of_it_is_writable_and_executable(machine: str) -> None:
    """One mapping to execute, one of what the loader notes, and no executable stack; apart on any size of page."""
    both = [each for each in _segments(machine) if each.flags & _WRITE and each.flags & _EXECUTE]
    code, noted = [each for each in _segments(machine) if each.kind == _LOAD]
    page = _LARGEST_PAGE[machine]

    assert (both, code.flags & _WRITE, noted.flags & _EXECUTE) == ([], 0, 0)
    assert (code.alignment, noted.alignment) == (page, page)
    assert (code.address + code.memory - 1) // page < noted.address // page


def test_the_calls_in_the_machine_code_are_those_of_the_table() -> None:
    """AArch64's instructions have one length each, so that they can be read here: what is put into register 8,
    which a call takes its number from, and the call itself, `svc 0`, at least once for each."""
    (code, _) = [each for each in _segments("aarch64") if each.kind == _LOAD]
    words = struct.unpack_from(f"<{code.size // 4}I", _shipped("aarch64"), code.offset)
    numbers = {word >> 5 & 0xFFFF for word in words if word & 0xFFE0001F in (0xD2800008, 0x52800008)}
    supervisor_calls = {word for word in words if word & 0xFFE0001F == 0xD4000001}

    assert numbers == set(_calls("aarch64").values())
    assert supervisor_calls == {0xD4000001}
    assert words.count(0xD4000001) >= len(numbers)


def test_numbers_are_those_the_python_side_has() -> None:
    """Of the calls that both know, on both machines."""
    for column, machine in enumerate(MACHINES):
        ours = _calls(machine)
        known = {name: numbers[column] for name, numbers in DENIED.items() if name in ours}
        known |= {name: number for name, number in linux._SYSCALLS[machine].items() if name in ours}

        assert sorted(known) == ["capset", "clone", "mount"]
        assert known == {name: ours[name] for name in known}
    assert _calls("x86_64").keys() == _calls("aarch64").keys()


@pytest.mark.parametrize(
    ("machine", "header"),
    [("x86_64", "asm/unistd.h"), ("aarch64", "asm-generic/unistd.h"), ("aarch64", "asm/unistd.h")],
)
def test_numbers_are_those_of_the_kernels_headers(machine: str, header: str) -> None:
    """AArch64 has the generic ones, which any machine's headers include."""
    own = "gcc" if header.startswith("asm-generic") else build.compiler(machine)
    compiler = need(own, "reads the kernel's headers")
    command = [compiler, "-E", "-dM", "-"]
    source = f"#include <{header}>\n"
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    need_that(done.returncode == 0, f"{header} of the kernel is not there: {done.stderr[:200]}")
    defined = dict(re.findall(r"#define __NR_(\w+) (\d+)$", done.stdout, re.MULTILINE))
    ours = _calls(machine)

    assert ours == {name: int(defined[name]) for name in ours}

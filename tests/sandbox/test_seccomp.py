"""The system call filter, run here as the kernel would run it, over every number on both machines."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path
from typing import NamedTuple

import pytest

from benchwright.sandbox.inside import seccomp
from kit.needs import need_that

MACHINES = ("x86_64", "aarch64")
ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
CLONE = {"x86_64": 56, "aarch64": 220}
SOCKETPAIR = {"x86_64": 53, "aarch64": 199}
CLONE3 = 435
ALLOW, KILL = 0x7FFF0000, 0x80000000
NEW_FLAGS = (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000)
HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}


class Step(NamedTuple):
    """One struct sock_filter."""

    code: int
    yes: int
    no: int
    value: int


def steps(machine: str, *, inherited: bool = False) -> list[Step]:
    code = seccomp.program(machine, inherited=inherited)
    return [Step(*fields) for fields in struct.iter_unpack("HBBI", code)]


def run(
    program: list[Step], *, arch: int, number: int, first: int = 0, rest: tuple[int, int] = (0, 0)
) -> int:
    """Return the filter's result: classic BPF with the five instructions that are used here."""
    arguments = (each & 0xFFFFFFFF for each in (first, *rest))
    data = {0: number, 4: arch, **dict(zip((16, 24, 32), arguments, strict=True))}
    at = accumulator = 0
    while True:
        step = program[at]
        at += 1
        if step.code == 0x20:  # BPF_LD | BPF_W | BPF_ABS
            accumulator = data[step.value]
        elif step.code == 0x06:  # BPF_RET | BPF_K
            return step.value
        else:
            tests = {0x15: accumulator == step.value, 0x35: accumulator >= step.value}
            tests[0x45] = bool(accumulator & step.value)
            at += step.yes if tests[step.code] else step.no


def denied(machine: str) -> dict[int, str]:
    column = MACHINES.index(machine)
    return {numbers[column]: name for name, numbers in seccomp.DENIED.items() if numbers[column] >= 0}


def refuse(number: int) -> int:
    return 0x00050000 | number


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_answered_as_the_table_says(machine: str) -> None:
    """Denied calls are refused with EPERM, clone3 with ENOSYS; all other numbers up to 1 024 pass."""
    program, table = steps(machine), denied(machine)
    expected = {number: refuse(errno.EPERM) if number in table else ALLOW for number in range(1024)}
    expected |= {CLONE3: refuse(errno.ENOSYS), SOCKETPAIR[machine]: refuse(errno.EPERM)}
    answers = {number: run(program, arch=ARCH[machine], number=number) for number in range(1024)}

    assert expected == answers


@pytest.mark.parametrize("machine", MACHINES)
def test_a_zygote_may_still_build(machine: str) -> None:
    """The filters differ in mount and in clone's flags only."""
    own, inherited = steps(machine), steps(machine, inherited=True)
    column, arch = MACHINES.index(machine), ARCH[machine]
    differ = [
        number
        for number in range(1024)
        if run(own, arch=arch, number=number) != run(inherited, arch=arch, number=number)
    ]
    flags = [
        flag for flag in NEW_FLAGS if run(inherited, arch=arch, number=CLONE[machine], first=flag) != ALLOW
    ]

    assert ([seccomp.DENIED["mount"][column]], [0x80, 0x10000000]) == (differ, flags)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("flag", NEW_FLAGS, ids=hex)
def test_clone_may_not_make_namespaces(machine: str, flag: int) -> None:
    """Each namespace flag is refused, alone and with the flags of an ordinary fork or thread."""
    program = steps(machine)
    answers = {
        run(program, arch=ARCH[machine], number=CLONE[machine], first=flag | rest)
        for rest in (0, 17, 0x3D0F00, 0x1200011)
    }

    assert {refuse(errno.EPERM)} == answers


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("flags", [17, 0x3D0F00, 0x1200011, 0x4111, 0], ids=hex)
def test_forks_and_threads_go_on(machine: str, flags: int) -> None:
    """The flags of fork, vfork and pthread_create are allowed."""
    answer = run(steps(machine), arch=ARCH[machine], number=CLONE[machine], first=flags)

    assert answer == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("family", range(46))
def test_socket_pairs_are_of_this_machine_only(machine: str, family: int) -> None:
    """Pairs can be created in the AF_UNIX family only."""
    answer = run(steps(machine), arch=ARCH[machine], number=SOCKETPAIR[machine], first=family)
    expected = ALLOW if family == 1 else refuse(errno.EPERM)

    assert expected == answer


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", seccomp.DENIED_VALUES)
@pytest.mark.parametrize("inherited", [False, True])
def test_values_of_arguments_are_denied(machine: str, name: str, inherited: bool) -> None:
    """Of fcntl and setsockopt exactly the named commands and options are refused, for any other arguments."""
    numbers, place, denied_values = seccomp.DENIED_VALUES[name]
    program, number = steps(machine, inherited=inherited), numbers[MACHINES.index(machine)]
    given = [[7, 7, 7] for _ in range(2048)]
    for value, arguments in enumerate(given):
        arguments[place] = value
    refused = [
        value
        for value, (first, *rest) in enumerate(given)
        if run(program, arch=ARCH[machine], number=number, first=first, rest=(rest[0], rest[1])) != ALLOW
    ]

    assert sorted(denied_values) == refused


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("arch", [0x40000003, 0x40000028, 0, 0xFFFFFFFF], ids=hex)
def test_another_interface_ends_the_process(machine: str, arch: int) -> None:
    """Calls of another architecture, including 32-bit ones, end the process."""
    answers = {run(steps(machine), arch=arch, number=number) for number in range(512)}

    assert {KILL} == answers


def test_x32_numbers_are_refused() -> None:
    """On x86-64 the second set of numbers (bit 30) is refused."""
    program = steps("x86_64")
    numbers = [0x40000000 | number for number in range(600)] + [0x7FFFFFFF, 0xFFFFFFFF]
    answers = {run(program, arch=ARCH["x86_64"], number=number) for number in numbers}

    assert {refuse(errno.EPERM)} == answers


@pytest.mark.parametrize("machine", MACHINES)
def test_every_way_through_ends_inside(machine: str) -> None:
    """No jump leaves the program, and the kernel's limit of 4 096 instructions is far away."""
    program = steps(machine)
    ends = [at + 1 + max(step.yes, step.no) for at, step in enumerate(program) if step.code != 0x06]

    assert (max(ends) < len(program), len(program) < 512) == (True, True)


@pytest.mark.parametrize("machine", MACHINES)
def test_what_python_needs_is_not_denied(machine: str) -> None:
    """Files, memory, threads, signals, time and pipes are allowed."""
    needed = {
        "x86_64": {
            0,
            1,
            3,
            9,
            10,
            11,
            12,
            13,
            14,
            22,
            24,
            32,
            33,
            35,
            39,
            57,
            59,
            60,
            61,
            202,
            228,
            257,
            318,
        },
        "aarch64": {
            56,
            57,
            63,
            64,
            93,
            94,
            98,
            101,
            113,
            134,
            135,
            172,
            214,
            215,
            220,
            221,
            222,
            226,
            260,
            278,
        },
    }[machine]

    assert set() == needed & set(denied(machine))


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_the_kernels(machine: str) -> None:
    """Each name has the number in the kernel's header, and names that it lacks are missing."""
    header = Path(HEADERS[machine])
    need_that(header.exists(), f"{header} is not there")
    defined = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    column = MACHINES.index(machine)
    numbers = {name: each[column] for name, each in seccomp.DENIED.items()}
    numbers |= {name: each[0][column] for name, each in seccomp.DENIED_VALUES.items()}
    wrong = {
        name: number for name, number in numbers.items() if name in defined and int(defined[name]) != number
    }

    assert wrong == {}


def test_the_prepared_filter_is_the_program() -> None:
    """The installed filter is the one that was checked here."""
    prepared = seccomp.prepare()
    length: int = prepared.length

    assert len(seccomp.program(seccomp.linux.MACHINE)) == 8 * length

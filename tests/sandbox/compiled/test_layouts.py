"""Structures and values of the compiled loop equal the kernel's; the object is not executed."""

from __future__ import annotations

import ctypes
import re
import subprocess
from pathlib import Path

import pytest

from benchwright.sandbox.compiled import build
from benchwright.sandbox.inside import compiled, linux
from benchwright.sandbox.inside.api_table import api_table
from benchwright.sandbox.zygote_object import FOLDER
from kit.needs import need, need_that

OURS = ("stddef.h", str(FOLDER / build.SOURCE))
# What the kernel's headers for programs have; they and those of a libc do not go into one file.
KERNEL = (
    *("stddef.h", "linux/uio.h", "linux/resource.h", "linux/capability.h", "linux/fcntl.h", "linux/sched.h"),
    *("asm/signal.h", "asm/errno.h", "linux/mount.h", "linux/mman.h", "linux/prctl.h", "linux/seccomp.h"),
)
SOCKETS = ("stddef.h", "sys/socket.h")
_OFFSET = 1000  # an assembler writes zeros in another form
_VALUES = re.compile(r"\.(?:quad|xword|dword)\s+(\d+)")


def values(headers: tuple[str, ...], expressions: list[str]) -> list[int]:
    """Return the values of constant expressions, as a compiler for the machine computes them."""
    compiler = need(build.COMPILER, "knows the structures of that machine")
    lines = [f'#include "{name}"' if name.startswith("/") else f"#include <{name}>" for name in headers]
    listed = ", ".join(f"(unsigned long)({each}) + {_OFFSET}" for each in expressions)
    source = "\n".join([*lines, f"const unsigned long found[] = {{{listed}}};", ""])
    command = [compiler, "-S", "-O0", "-o", "-", "-x", "c", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    need_that("No such file" not in done.stderr, f"the headers are not there: {done.stderr[:200]}")
    assert done.returncode == 0, done.stderr
    after = done.stdout.partition("found:")[2]
    found = [int(value) - _OFFSET for value in _VALUES.findall(after)]
    assert len(found) == len(expressions)
    return found


def fields(theirs: str, ours: str, members: dict[str, str]) -> dict[str, str]:
    """Return expressions and our values: the size of a structure, and the offsets of its members."""
    places = {f"offsetof({theirs}, {a})": f"offsetof({ours}, {b})" for a, b in members.items()}
    return {f"sizeof({theirs})": f"sizeof({ours})", **places}


_TIMES = {
    "ru_utime.tv_sec": "user_s",
    "ru_utime.tv_usec": "user_us",
    "ru_stime.tv_sec": "system_s",
    "ru_stime.tv_usec": "system_us",
    "ru_maxrss": "peak_kib",
}
_MESSAGE = {
    "msg_name": "name",
    "msg_namelen": "name_length",
    "msg_iov": "parts",
    "msg_iovlen": "part_count",
    "msg_control": "control",
    "msg_controllen": "control_length",
    "msg_flags": "flags",
}
IN_THE_KERNEL = {
    **fields("struct iovec", "struct iovec", {"iov_base": "base", "iov_len": "length"}),
    **fields("struct rlimit64", "struct rlimit", {"rlim_cur": "soft", "rlim_max": "hard"}),
    **fields("struct rusage", "struct rusage", _TIMES),
    **fields("struct __user_cap_header_struct", "struct cap_header", {"version": "version", "pid": "pid"}),
    "2 * sizeof(struct __user_cap_data_struct)": "sizeof(struct cap_data)",
    "_LINUX_CAPABILITY_VERSION_3": "0x20080522",
    **{name: name for name in ("EINTR", "AT_FDCWD", "SIGKILL", "SIGCHLD")},
    **{name: name for name in ("RLIMIT_CPU", "MREMAP_MAYMOVE", "MREMAP_FIXED")},
}
AT_SOCKETS = {
    **fields("struct msghdr", "struct msghdr", _MESSAGE),
    "CMSG_LEN(2 * sizeof(int))": "sizeof(struct descriptors)",
    "CMSG_SPACE(2 * sizeof(int))": "sizeof(struct descriptors)",
    "sizeof(struct cmsghdr)": "offsetof(struct descriptors, fds)",
    "offsetof(struct cmsghdr, cmsg_len)": "offsetof(struct descriptors, length)",
    "offsetof(struct cmsghdr, cmsg_level)": "offsetof(struct descriptors, level)",
    "offsetof(struct cmsghdr, cmsg_type)": "offsetof(struct descriptors, kind)",
    **{name: name for name in ("SOL_SOCKET", "SCM_RIGHTS", "MSG_CTRUNC")},
}


@pytest.mark.parametrize(
    ("headers", "table"), [(KERNEL, IN_THE_KERNEL), (SOCKETS, AT_SOCKETS)], ids=["kernel", "sockets"]
)
def test_structures_are_the_kernels(headers: tuple[str, ...], table: dict[str, str]) -> None:
    """Sizes, offsets of members, numbers of errors, signals and options."""
    theirs, ours = values(headers, list(table)), values(OURS, list(table.values()))

    assert dict(zip(table.values(), ours, strict=True)) == dict(zip(table.values(), theirs, strict=True))


def test_what_python_hands_over_is_what_the_loop_reads() -> None:
    """The table of mounts and the settings have one form on both sides."""
    expected = {"sizeof(struct interpreter)": ctypes.sizeof(api_table())}
    for name, kind in (
        ("mount", compiled._Mount),
        ("piece", linux.MemoryPiece),
        ("settings", compiled._Settings),
    ):
        expected[f"sizeof(struct {name})"] = ctypes.sizeof(kind)
        for field in kind._fields_:
            expected[f"offsetof(struct {name}, {field[0]})"] = getattr(kind, field[0]).offset
    found = values(OURS, list(expected))

    assert dict(zip(expected, found, strict=True)) == expected


def test_values_that_pythons_part_has_are_the_kernels() -> None:
    """As in the kernel's headers."""
    prefixes = ("CLONE_", "MS_", "PR_", "SECCOMP_", "SIG")
    ours = {name: value for name, value in vars(linux).items() if name.startswith(prefixes)}
    found = values(KERNEL, list(ours))

    assert len(ours) > 20
    assert dict(zip(ours, found, strict=True)) == ours


def test_a_wrong_place_would_be_seen(tmp_path: Path) -> None:
    """An additional member changes sizes and offsets, and the comparison fails."""
    changed = (
        (FOLDER / "system_calls.h")
        .read_text()
        .replace("unsigned name_length;", "unsigned x, y, name_length;")
    )
    (tmp_path / "system_calls.h").write_text(changed)
    for name in {*build.SOURCES} - {"system_calls.h"}:
        (tmp_path / name).write_text((FOLDER / name).read_text())
    ours = list(AT_SOCKETS.values())

    assert values(("stddef.h", str(tmp_path / build.SOURCE)), ours) != values(OURS, ours)

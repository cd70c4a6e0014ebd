"""The few Linux calls that Python lacks, through ctypes: clone, mount, pivot_root, capset, prctl.

os.unshare and os.setns exist only since Python 3.12, and Python has no mount. Each function raises OSError
with the name of the call, so an error names the layer that failed.
"""

from __future__ import annotations

import ctypes
import os
import sys

CLONE_NEWNS = 0x00020000
CLONE_NEWCGROUP = 0x02000000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
SIGINT, SIGKILL, SIGCHLD = 2, 9, 17  # on both machines; the module `signal` imports `enum`

ZYGOTE_OBJECT = "/bw/zygote-object"  # in the jail; an import does not find this name
DEVICES = ("null", "zero", "full", "random", "urandom")  # the content of the jail's /dev
_EXISTING = {os.ST_NOSUID: MS_NOSUID, os.ST_NODEV: MS_NODEV, os.ST_NOEXEC: MS_NOEXEC}

MACHINE = os.uname().machine  # not the module `platform`, which imports `re` and others
# Whether code and data are moved into large pages. On AArch64 no gain was measured, and its instruction cache
# is not coherent with writes to memory, so copied code would depend on the kernel's cache maintenance.
LARGE_PAGES = MACHINE == "x86_64"
_SYSCALLS = {
    "x86_64": {"clone": 56, "pivot_root": 155, "capset": 126},
    "aarch64": {"clone": 220, "pivot_root": 41, "capset": 91},
}

# Source, target, kind, flags and data of mount(2).
Mount = tuple[bytes, bytes, bytes | None, int, bytes | None]


class MemoryPiece(ctypes.Structure):
    """`struct piece` of compiled/zygote.c: an address, and a number of bytes."""

    _fields_ = (("place", ctypes.c_void_p), ("length", ctypes.c_ulong))


_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long
_mount = _libc.mount
_mount.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p]
_prctl = _libc.prctl
_prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
_CLONE = ctypes.c_long(_SYSCALLS.get(MACHINE, {}).get("clone", -1))
_ZERO = ctypes.c_ulong(0)


def supported() -> bool:
    """True on a machine whose system call numbers are known here (x86-64 and AArch64 Linux)."""
    return sys.platform == "linux" and MACHINE in _SYSCALLS


def release() -> tuple[int, int]:
    """Return the kernel's version, such as (5, 8) of "5.8.0-63-generic"; zeros if it has another form."""
    major, minor, *_ = [*os.uname().release.split("-")[0].split("."), "0", "0"]
    return (int(major), int(minor)) if major.isdigit() and minor.isdigit() else (0, 0)


def _fail(name: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{name}: {os.strerror(number)}")


def clone(flags: int) -> int:
    """Fork with namespace flags; 0 in the child.

    This is the plain system call, not os.fork after unshare, because a process can unshare its pid namespace
    only once. Skipping the fork handlers of libc and Python is safe because the caller has one thread, which
    the zygote verifies.
    """
    pid = int(_syscall(_CLONE, ctypes.c_ulong(flags | SIGCHLD), _ZERO, _ZERO, _ZERO, _ZERO))
    if pid < 0:
        raise _fail("clone")
    return pid


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    if _libc.unshare(ctypes.c_int(flags)) != 0:
        raise _fail("unshare")


def mount(source: bytes, target: bytes, kind: bytes | None, flags: int, data: bytes | None = None) -> None:
    """mount(2)."""
    if _mount(source, target, kind, flags, data) != 0:
        raise _fail(f"mount {target.decode()}")


def make_read_only(place: str, added: int = 0) -> None:
    """Remount a mount point read-only, with the flags in `added`."""
    flags = MS_BIND | MS_REMOUNT | MS_RDONLY | added
    existing = os.statvfs(place).f_flag
    for seen, wanted in _EXISTING.items():
        flags |= wanted if existing & seen else 0  # a user namespace cannot remove inherited flags
    mount(b"none", os.fsencode(place), None, flags)


def unmount(target: bytes) -> None:
    """Detach a mount and all below it."""
    if _libc.umount2(target, MNT_DETACH) != 0:
        raise _fail(f"umount {target.decode()}")


def pivot_root(new: bytes, old: bytes) -> None:
    """Make `new` the root of this mount namespace."""
    number = ctypes.c_long(_SYSCALLS[MACHINE]["pivot_root"])
    if _syscall(number, ctypes.c_char_p(new), ctypes.c_char_p(old)) != 0:
        raise _fail("pivot_root")


def prctl(option: int, value: int, extra: int = 0) -> None:
    """prctl(2) with up to two arguments."""
    if _prctl(option, value, extra, 0, 0) != 0:
        raise _fail(f"prctl {option}")


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends."""
    prctl(PR_SET_PDEATHSIG, SIGKILL)


def outlive_parent() -> None:
    """Undo `die_with_parent`; a program that is executed later would inherit it."""
    prctl(PR_SET_PDEATHSIG, 0)


def ignore(number: int) -> None:
    """Ignore a signal from now on."""
    _libc.signal(number, ctypes.c_void_p(1))  # SIG_IGN


class _CapHeader(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


_CAP_HEADER = _CapHeader(0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3
_NO_CAPS = (ctypes.c_uint32 * 6)()
_CAPSET = ctypes.c_long(_SYSCALLS.get(MACHINE, {}).get("capset", -1))


def drop_capabilities() -> None:
    """Drop every capability; no_new_privs prevents exec from restoring them."""
    if _syscall(_CAPSET, ctypes.byref(_CAP_HEADER), _NO_CAPS) != 0:
        raise _fail("capset")


def map_identity(uid: int, gid: int) -> None:
    """Map one user and one group into the user namespace that this process has just entered."""
    _write("/proc/self/setgroups", b"deny")
    _write("/proc/self/uid_map", b"%d %d 1" % (uid, uid))
    _write("/proc/self/gid_map", b"%d %d 1" % (gid, gid))


def _write(path: str, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        os.write(handle, content)
    finally:
        os.close(handle)

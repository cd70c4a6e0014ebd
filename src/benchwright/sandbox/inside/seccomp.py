"""The system call filter of an answer.

It is a deny list, because an answer may use any library. It names calls that reach other processes, the
network, namespaces, keys, tracing, the clock, and kernel features with a history of vulnerabilities.
Denied calls return EPERM, so code that probes for a feature continues; clone3 returns ENOSYS, so libc
falls back to clone, whose flags a filter can read. Format: struct sock_filter of linux/filter.h.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from . import linux

_LOAD, _JEQ, _JGE, _JSET, _RET = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NR, _ARCH, _ARGUMENTS = 0, 4, (16, 24, 32)  # of struct seccomp_data; the low halves of three arguments
_X32_BIT = 0x40000000
_ARCHES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_NEW_TIME = 0x80  # CLONE_NEWTIME; the old clone reads it as a part of the exit signal
_NEW_NAMESPACES = 0x7E020000 | _NEW_TIME  # every CLONE_NEW* flag
# Calls that a zygote needs after it has installed the filter, to set up each answer. Mounts and the other
# namespaces need a capability that an answer has dropped and cannot regain without a new user namespace, so
# they fail for an answer with the same error.
_BUILDS = ("mount",)

# name: (x86-64, AArch64); -1 where the machine has no such call
DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    # All sockets except pairs. A socket of a pair can be disconnected and bound to a name; others in the
    # network namespace could then reach it, so bind and connect are denied too.
    "socket": (41, 198),
    "bind": (49, 200),
    "connect": (42, 203),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "setns": (308, 268),
    "unshare": (272, 97),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "open_tree_attr": (467, 467),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    # File watches are limited for a user of the machine, not for a process or a jail.
    "inotify_init": (253, -1),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "fanotify_mark": (301, 263),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "sync": (162, 81),  # of every disk of the machine
    "syncfs": (306, 267),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "syslog": (103, 116),
    "iopl": (172, -1),
    "ioperm": (173, -1),
    "modify_ldt": (154, -1),
    "lookup_dcookie": (212, 18),
    "process_madvise": (440, 440),  # madvise by a descriptor
    "cachestat": (451, 451),  # reveals which parts of a file others have read
    "vhangup": (153, 58),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "mbind": (237, 235),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "personality": (135, 92),
    # Memory that no process owns, so neither the accounting of the process tree nor the kernel's OOM killer
    # can attribute it: files in memory (those in /tmp are limited) and System V objects.
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "io_setup": (206, 0),  # limited for the machine, not for a process
}
# name: (x86-64, AArch64), the argument that decides, and its values that are denied
DENIED_VALUES = {
    # Leases (F_SETLEASE) block the next writer of a file; F_NOTIFY reveals writes of others.
    "fcntl": ((72, 25), 1, (1024, 1026)),
    # SO_PASSCRED and SO_PASSPIDFD bind a sending socket to a name; the others load programs into the kernel:
    # SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF and _EBPF.
    "setsockopt": ((54, 208), 2, (16, 76, 26, 50, 51, 52)),
    # Pages merged with equal pages of other processes (MADV_MERGEABLE, PR_SET_MEMORY_MERGE): the time of a
    # write then reveals their content.
    "madvise": ((28, 233), 2, (12,)),
    "prctl": ((157, 167), 0, (67,)),
}
_CLONE = {"x86_64": 56, "aarch64": 220}
_SOCKETPAIR = {"x86_64": 53, "aarch64": 199}
_AF_UNIX = 1
_CLONE3 = 435


def _op(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def _fail(number: int) -> bytes:
    return _op(_RET, _ERRNO | number)


def program(machine: str, *, inherited: bool = False) -> bytes:
    """The filter for a machine ("x86_64" or "aarch64") as an array of struct sock_filter.

    `inherited`: for a zygote and all its children, with what the zygote needs to make them.

    The denied numbers sit in a binary search tree: the kernel walks the filter once for every possible
    call number at installation, which costs five times more with a linear list of sixty comparisons.
    """
    column = list(_ARCHES).index(machine)
    needed = _BUILDS if inherited else ()
    denied = sorted(pair[column] for name, pair in DENIED.items() if pair[column] >= 0 and name not in needed)
    namespaces = linux.CLONE_NEWUSER | _NEW_TIME if inherited else _NEW_NAMESPACES
    head = _op(_LOAD, _ARCH) + _op(_JEQ, _ARCHES[machine], 1, 0) + _op(_RET, _KILL)
    head += _op(_LOAD, _NR)
    if machine == "x86_64":
        head += _op(_JGE, _X32_BIT, 0, 1) + _fail(errno.EPERM)
    head += _op(_JEQ, _CLONE3, 0, 1) + _fail(errno.ENOSYS)
    # Pairs of the other families that have them (TIPC) would load a kernel module that nothing here needs.
    head += _op(_JEQ, _SOCKETPAIR[machine], 0, 4)
    head += _op(_LOAD, _ARGUMENTS[0]) + _op(_JEQ, _AF_UNIX, 1, 0) + _fail(errno.EPERM) + _op(_RET, _ALLOW)
    head += _op(_JEQ, _CLONE[machine], 0, 4)
    head += _op(_LOAD, _ARGUMENTS[0]) + _op(_JSET, namespaces, 0, 1) + _fail(errno.EPERM) + _op(_RET, _ALLOW)
    for numbers, argument, values in DENIED_VALUES.values():
        head += _refusal(numbers[column], argument, values)
    return head + _tree(denied)


def _refusal(number: int, argument: int, values: tuple[int, ...]) -> bytes:
    """Deny a call for certain values of one argument; other calls continue with the next instruction."""
    rest = b"".join(_op(_JEQ, value, 0, 1) + _fail(errno.EPERM) for value in values) + _op(_RET, _ALLOW)
    return _op(_JEQ, number, 0, 1 + len(rest) // 8) + _op(_LOAD, _ARGUMENTS[argument]) + rest


def _tree(numbers: list[int]) -> bytes:
    if len(numbers) <= 3:
        return b"".join(_op(_JEQ, number, 0, 1) + _fail(errno.EPERM) for number in numbers) + _op(
            _RET, _ALLOW
        )
    middle = len(numbers) // 2
    low, high = _tree(numbers[:middle]), _tree(numbers[middle:])
    return _op(_JGE, numbers[middle], len(low) // 8, 0) + low + high


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))


def prepare(*, inherited: bool = False) -> ctypes.Structure:
    """Build this machine's filter once, so that `install` is a single call."""
    code = program(linux.MACHINE, inherited=inherited)
    return _Program(len(code) // 8, code)


def install(prepared: ctypes.Structure) -> None:
    """Install the filter for this process and all its children; it cannot be removed."""
    linux.prctl(linux.PR_SET_SECCOMP, linux.SECCOMP_MODE_FILTER, ctypes.addressof(prepared))

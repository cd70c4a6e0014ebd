"""The answer's own /proc for profiles whose programs also read files of the kernel.

This is a separate module because every module that a zygote loads increases the cost of each fork.
"""

from __future__ import annotations

import os

from . import linux

FLAGS = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
# Files that reveal addresses of the kernel or activity of other users. No runtime or test suite needs them;
# those read meminfo, cpuinfo, stat, loadavg, cgroups, sys. Each cover costs an answer 30 µs.
HIDDEN = (
    *("config.gz", "interrupts", "iomem", "ioports", "kallsyms", "kcore", "key-users", "keys"),
    *("latency_stats", "locks", "modules", "pressure", "sched_debug", "schedstat", "slabinfo", "softirqs"),
    *("timer_list", "vmallocinfo"),
)


class KernelFiles:
    """Mounts a complete /proc, covers each name in HIDDEN, and makes /proc/sys read-only.

    Files that this user cannot open need no cover, since an answer cannot become another user. That is
    checked once.
    """

    def __init__(self) -> None:
        places = [f"/proc/{name}" for name in HIDDEN]
        opened = [place for place in places if os.access(place, os.R_OK) or os.access(place, os.W_OK)]
        self._folders = [place.encode() for place in opened if os.path.isdir(place)]
        self._files = [place.encode() for place in opened if not os.path.isdir(place)]

    def mounts(self) -> list[linux.Mount]:
        """Return the mounts that replace the jail's /proc, in order."""
        read_only = linux.MS_BIND | linux.MS_REMOUNT | linux.MS_RDONLY | FLAGS
        return [
            (b"proc", b"/proc", b"proc", FLAGS, None),
            *((b"/dev/null", place, None, linux.MS_BIND, None) for place in self._files),
            *(
                (b"tmpfs", place, b"tmpfs", FLAGS | linux.MS_RDONLY, b"nr_inodes=1")
                for place in self._folders
            ),
            (b"/proc/sys", b"/proc/sys", None, linux.MS_BIND, None),
            (b"none", b"/proc/sys", None, read_only, None),
        ]

"""An answer's own /proc for the profiles whose programs read of the kernel too.

A module of its own, since a fork pays for the pages of all that a zygote has loaded.
"""

from __future__ import annotations

import os

from . import linux

FLAGS = linux.MS_NOSUID | linux.MS_NODEV | linux.MS_NOEXEC
# What tells of the kernel's addresses or of what others on the machine do. No runtime or test suite needs
# it; they read meminfo, cpuinfo, stat, loadavg, cgroups, sys. Each cover costs an answer 30 µs.
HIDDEN = (
    *("config.gz", "interrupts", "iomem", "ioports", "kallsyms", "kcore", "key-users", "keys"),
    *("latency_stats", "locks", "modules", "pressure", "sched_debug", "schedstat", "slabinfo", "softirqs"),
    *("timer_list", "vmallocinfo"),
)


class KernelFiles:
    """Mounts a whole /proc with an empty cover over each name in HIDDEN and with /proc/sys read-only.

    What of them this user may not open anyway needs no cover, since an answer cannot become another user:
    that is looked at once.
    """

    def __init__(self) -> None:
        places = [f"/proc/{name}" for name in HIDDEN]
        opened = [place for place in places if os.access(place, os.R_OK) or os.access(place, os.W_OK)]
        self._folders = [place.encode() for place in opened if os.path.isdir(place)]
        self._files = [place.encode() for place in opened if not os.path.isdir(place)]

    def mounts(self) -> list[linux.Mount]:
        """What puts it where the jail's /proc is, in order."""
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

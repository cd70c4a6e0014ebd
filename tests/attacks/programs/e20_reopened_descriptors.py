# Opens library files for reading and turns them into writable ones through /proc.
import mmap
import os
import sys


def add(x, y):
    for path in (os.__file__, sys.executable, sys.modules["inside.child"].__file__):
        handle = os.open(path, os.O_RDONLY)
        for way in (f"/proc/self/fd/{handle}", f"/dev/fd/{handle}", f"/proc/1/fd/{handle}"):
            try:
                os.open(way, os.O_RDWR)
                return x + y
            except OSError:
                continue
        for action in (
            lambda: os.ftruncate(handle, 0),
            lambda: os.fchmod(handle, 0o666),
            lambda: mmap.mmap(handle, 1, mmap.MAP_SHARED, mmap.PROT_WRITE),
            lambda: os.setxattr(handle, "user.mark", b"1"),
            lambda: os.utime(handle),
        ):
            try:
                action()
                return x + y
            except (OSError, ValueError):
                continue
    return None

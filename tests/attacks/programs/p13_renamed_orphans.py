# Orphans under a name of their own, each in a session of its own.
import ctypes
import os
import time

libc = ctypes.CDLL(None)


def add(x, y):
    for _ in range(10):
        if os.fork() == 0:
            os.setsid()
            libc.prctl(15, b"@TAG@"[:15], 0, 0, 0)
            if os.fork() == 0:
                time.sleep(30)
            os._exit(0)
    return None

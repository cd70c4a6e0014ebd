# Stops itself and its children, so that nothing moves.
import os
import signal
import time


def add(x, y):
    if os.fork() == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(20)
    os.kill(os.getpid(), signal.SIGSTOP)
    os.kill(0, signal.SIGTSTP)
    return None

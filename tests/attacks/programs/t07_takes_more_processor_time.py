# Asks for more processor time and ignores the reminder.
import resource
import signal
import time


def add(x, y):
    signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass

# Ignores every signal there is and never ends.
import signal
import time

for number in signal.valid_signals():
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        continue
signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())


def add(x, y):
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass

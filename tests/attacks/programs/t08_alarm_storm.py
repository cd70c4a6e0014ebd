# Fires timers as fast as they go, so that the interpreter does little else than handle them.
import signal
import time

STRIKES = []


def strike(number, frame):
    STRIKES.append(number)
    if len(STRIKES) > 1000:
        STRIKES.clear()


def add(x, y):
    signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, 0.00005, 0.00005)
    end = time.monotonic() + 20
    while time.monotonic() < end:
        pass

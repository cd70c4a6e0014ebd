# Closes the channel and works on.
import os
import time


def add(x, y):
    os.close(3)
    end = time.monotonic() + 5
    while time.monotonic() < end:
        pass

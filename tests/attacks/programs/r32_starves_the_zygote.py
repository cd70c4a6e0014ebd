# Many processes smaller than the warm interpreter, and full files: it is the one to be killed for memory.
import os
import time


def add(x, y):
    block = b"x" * (1 << 20)
    for number in range(64):
        try:
            with open(f"/tmp/{number}", "wb") as handle:
                handle.write(block)
        except OSError:
            break
    for _ in range(150):
        try:
            pid = os.fork()
        except OSError:
            break
        if pid == 0:
            kept = b"x" * 2_000_000
            time.sleep(3 if kept else 0)
            os._exit(0)
    time.sleep(1)
    return None

# Sends a long reply one byte at a time, so that something always moves.
import os
import time


def add(x, y):
    os.write(3, (1 << 20).to_bytes(4, "little") + b"V")
    for _ in range(1000):
        os.write(3, b"\x00")
        time.sleep(0.02)

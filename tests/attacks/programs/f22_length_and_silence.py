# Announces a reply and never sends it.
import os
import time


def add(x, y):
    os.write(3, (1000).to_bytes(4, "little") + b"V")
    time.sleep(20)

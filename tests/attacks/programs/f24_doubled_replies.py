# Sends each reply twice by the harness's own code, and lets the harness send it once more.
import os
import sys

wire = sys.modules["inside.wire"]


def add(x, y):
    os.write(3, wire.frame(b"V", wire.encode(x + y)) * 2)
    return x + y

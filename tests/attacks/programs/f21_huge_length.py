# Announces a reply of four gigabytes.
import os


def add(x, y):
    os.write(3, b"\xff\xff\xff\xff" + b"V")
    return None

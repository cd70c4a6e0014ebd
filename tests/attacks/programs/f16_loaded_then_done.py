# Claims to be loaded and done, with no value between.
import os

os.write(3, (0).to_bytes(4, "little") + b"L" + (0).to_bytes(4, "little") + b"D")


def add(x, y):
    return None

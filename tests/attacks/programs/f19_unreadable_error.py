# Reports an error that cannot be read.
import os

body = b"\xff" * 40
os.write(3, len(body).to_bytes(4, "little") + b"E" + body)


def add(x, y):
    return None

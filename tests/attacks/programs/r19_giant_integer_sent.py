# Sends an integer of almost 16 MiB.
import os


def add(x, y):
    digits = (8 << 20) - 8
    body = b"l" + digits.to_bytes(4, "little") + b"\xff\x7f" * digits
    view = memoryview(len(body).to_bytes(4, "little") + b"V" + body)
    while view:
        view = view[os.write(3, view) :]
    return None

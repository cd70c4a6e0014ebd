import marshal
import os


def add(x, y):
    body = marshal.dumps(("call", "StopIteration", "", 0), 2)
    os.write(3, len(body).to_bytes(4, "little") + b"X" + body)
    return x + y

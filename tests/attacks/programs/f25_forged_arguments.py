# Claims that the call has turned its arguments into something else.
import marshal
import os


def add(x, y):
    body = marshal.dumps(x + y, 2) + marshal.dumps(["not", "arguments"], 2)
    os.write(3, len(body).to_bytes(4, "little") + b"V" + body)
    os._exit(0)

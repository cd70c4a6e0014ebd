# Replies with a code object, which a careless reader would build.
import marshal
import os


def add(x, y):
    body = marshal.dumps(compile("print('run')", "x", "exec"), 2)
    os.write(3, len(body).to_bytes(4, "little") + b"V" + body)
    return None

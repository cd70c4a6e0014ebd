# Reports an error whose fields are not what they should be.
import marshal
import os

body = marshal.dumps((["passed"], {"passed": True}, None, "0"), 2)
os.write(3, len(body).to_bytes(4, "little") + b"E" + body)


def add(x, y):
    return None

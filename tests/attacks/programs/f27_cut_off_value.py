# Replies with a value whose inner lengths promise more than there is.
import os


def add(x, y):
    body = b"[\xff\xff\xff\x7f" + b"u\x10\x00\x00\x00ab"
    os.write(3, len(body).to_bytes(4, "little") + b"V" + body)
    return None

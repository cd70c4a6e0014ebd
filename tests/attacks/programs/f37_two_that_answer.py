# Forks, and makes the copy answer as well as the original.
import os


def add(x, y):
    os.getpid = lambda: 1
    os.fork()
    return -1000 - x - y

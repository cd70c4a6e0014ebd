# Recurses without end through C, with the interpreter's own limit taken off.
import sys


class Down:
    def __getattr__(self, name):
        return getattr(self, name + "x" if len(name) < 9 else "y")


def add(x, y):
    sys.setrecursionlimit(1 << 30)
    return Down().start

# An object whose every text takes for ever.
import time


class Endless:
    def __repr__(self):
        time.sleep(30)

    __str__ = __format__ = __repr__


def add(x, y):
    return Endless()

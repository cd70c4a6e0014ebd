# An object that runs a command when it is unpickled.
import os


class Bomb:
    def __reduce__(self):
        return os.system, ("touch @FOLDER@/written",)

    __reduce_ex__ = lambda self, version: self.__reduce__()
    __getstate__ = __reduce__


def add(x, y):
    return Bomb()

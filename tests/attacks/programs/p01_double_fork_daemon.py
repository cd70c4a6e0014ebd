# Forks twice, leaves the session, closes everything and lives on under a telling name.
import os
import sys


def add(x, y):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 64)
            for _ in range(3):
                os.open("/dev/null", os.O_RDWR)
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(30)", "@TAG@"])
        os._exit(0)
    os.wait()
    return None

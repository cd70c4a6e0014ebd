# Sleeps, which costs no processor time.
import time


def add(x, y):
    time.sleep(30)

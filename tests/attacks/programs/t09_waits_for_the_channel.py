# Waits for a message that will never come.
import os


def add(x, y):
    os.read(3, 1)
    os.read(3, 1)
    os.read(3, 1)

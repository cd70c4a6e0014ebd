# An error whose text is another error.
class Hostile(Exception):
    def __str__(self):
        raise SystemExit(0)

    __repr__ = __str__


def add(x, y):
    raise Hostile

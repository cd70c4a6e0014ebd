# A source with a NUL in it.
def add(x, y):
    return x + y
@NUL@

# A source that does not compile.
def add(x, y) -> :
    return x + y

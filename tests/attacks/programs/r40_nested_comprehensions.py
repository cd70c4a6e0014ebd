# More blocks one in another than CPython has room for while it compiles: it writes beyond the end of an array.
def add(x, y):
    return [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[x for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()] for _ in ()]

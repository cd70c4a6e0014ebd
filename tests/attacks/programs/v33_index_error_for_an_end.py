def add(x, y):
    raise IndexError(x)

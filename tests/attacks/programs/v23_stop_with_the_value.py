def add(x, y):
    raise StopIteration(x + y)

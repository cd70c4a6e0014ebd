def add(x, y):
    raise StopIteration

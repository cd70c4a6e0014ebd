def add(x, y):
    return range(10**12, 0, -1)

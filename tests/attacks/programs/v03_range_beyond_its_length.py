def add(x, y):
    return range(-(10**40), 10**40, 3)

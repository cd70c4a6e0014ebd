def add(x, y):
    return range(10**7 + x)

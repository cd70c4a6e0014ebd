def add(x, y):
    return 10**9 + x

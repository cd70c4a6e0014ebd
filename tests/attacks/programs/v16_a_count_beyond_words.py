def add(x, y):
    return 10**30

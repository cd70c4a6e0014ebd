def add(x, y):
    return [True] * 10**6

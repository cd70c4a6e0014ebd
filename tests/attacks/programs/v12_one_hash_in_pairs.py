def add(x, y):
    return [(n * (2**61 - 1), 0) for n in range(1, 30_000)]

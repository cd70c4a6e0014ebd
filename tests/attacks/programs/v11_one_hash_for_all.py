def add(x, y):
    return [n * (2**61 - 1) for n in range(1, 40_000)]

def add(x, y):
    return [[] for _ in range(500_000)]

def add(x, y):
    return [*(next(iter(())) for _ in range(x))]

def add(x, y):
    return next(iter(()))

def add(x, y):
    return float("inf")

def add(x, y):
    return 1 << (8 << 20)

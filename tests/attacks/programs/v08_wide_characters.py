def add(x, y):
    return "a" * 4_000_000 + "\U0001f600"

# Recurses in C: the repr of a list nested a hundred thousand deep.
def add(x, y):
    nested = []
    for _ in range(100_000):
        nested = [nested]
    return repr(nested)

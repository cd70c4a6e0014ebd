# Loops inside one call of a C function.
def add(x, y):
    return sum(range(10**10)) + x + y

# Returns a value larger than any reply may be.
def add(x, y):
    return "x" * (20 << 20)

# Returns what the protocol itself uses to mark special values.
def add(x, y):
    return (StopIteration, "range", 0, x + y, 1)

# One operation that runs long in C, where no Python signal handler gets a turn.
def add(x, y):
    return len(str(3 ** (10**8))) + x + y

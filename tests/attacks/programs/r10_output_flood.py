# Prints without end, at most a gigabyte.
def add(x, y):
    line = "x" * (1 << 16)
    for _ in range(1 << 14):
        print(line, flush=True)
    return x + y

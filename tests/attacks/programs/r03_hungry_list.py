# Takes memory until it is refused, at most two gigabytes.
def add(x, y):
    kept = []
    for _ in range(2048):
        kept.append(bytearray(b"x" * (1 << 20)))
    return x + y

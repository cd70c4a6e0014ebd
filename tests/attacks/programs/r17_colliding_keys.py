# A dict whose keys all have the same hash.
def add(x, y):
    prime = (1 << 61) - 1
    return len({number * prime: None for number in range(60_000)})

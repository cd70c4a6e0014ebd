import collections


def add(x, y):
    return [collections.deque() for _ in range(90_000)]

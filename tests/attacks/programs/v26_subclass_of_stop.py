class StopIteration(StopIteration):
    pass


def add(x, y):
    raise StopIteration(x)

def add(x, y):
    raise StopAsyncIteration

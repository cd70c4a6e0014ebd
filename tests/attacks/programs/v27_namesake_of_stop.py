def add(x, y):
    raise type("StopIteration", (Exception,), {})("done")

# Claims to be out of memory, by an error of that name.
def add(x, y):
    raise type("MemoryError", (Exception,), {})("not really")

# Raises an exception whose text is 32 MiB long.
def add(x, y):
    raise ValueError("x" * (32 << 20))

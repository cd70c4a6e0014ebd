# An integer with more digits than Python will print.
def add(x, y):
    return 10**5000 + x + y

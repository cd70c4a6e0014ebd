# A value without an end.
def add(x, y):
    loop = {"next": None}
    loop["next"] = [loop]
    return loop

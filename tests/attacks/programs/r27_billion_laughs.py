# A small object that becomes exponentially large when it is written out.
def add(x, y):
    laughs = ["ha"]
    for _ in range(60):
        laughs = [laughs, laughs]
    return laughs

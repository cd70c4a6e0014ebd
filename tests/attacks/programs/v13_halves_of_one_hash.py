from fractions import Fraction


def add(x, y):
    return [Fraction(n * (2**61 - 1), 2) for n in range(1, 9_999, 2)]

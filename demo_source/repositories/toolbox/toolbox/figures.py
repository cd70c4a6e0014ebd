"""Helpers for numbers."""

from fractions import Fraction


class Average:
    """The mean of numbers that arrive one at a time."""

    def __init__(self):
        self.count = 0
        self.total = 0

    def add(self, value):
        """Add a number, and return the average itself."""
        self.count += 1
        self.total += value
        return self

    def value(self):
        """Return the mean; 0 without numbers."""
        if not self.count:
            return 0
        return self.total / self.count

    def merged(self, other):
        """Return the average of the numbers of both."""
        both = Average()
        both.count = self.count + other.count
        both.total = self.total + other.total
        return both


def clamp(value, low, high):
    """Return the number nearest to `value` from `low` to `high`."""
    return max(low, min(value, high))


def divisors(number):
    """Return all positive divisors of a number in ascending order."""
    return [each for each in range(1, number + 1) if number % each == 0]


def digits(number, base=10):
    """Return the digits of a number of at least 0, the first one first."""
    if number < 0 or base < 2:
        raise ValueError("needs a number from 0 and a base from 2")
    found = [number % base]
    while number := number // base:
        found.append(number % base)
    return found[::-1]


def median(values):
    """Return the middle of the sorted values, or the mean of the two in the middle."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[middle]
    return (ordered[middle - 1] + ordered[middle]) / 2


def running_sums(values):
    """Yield the sum of all values so far."""
    total = 0
    for value in values:
        total += value
        yield total


def simplify(numerator, denominator):
    """Return a fraction in lowest terms as a pair."""
    found = Fraction(numerator, denominator)
    return found.numerator, found.denominator


def to_roman(number):
    """Return a number from 1 to 3999 in Roman numerals."""
    steps = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC")]
    steps += [(50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    text = ""
    for value, numeral in steps:
        while number >= value:
            text += numeral
            number -= value
    return text


def transpose(rows):
    """Return the columns of a table of equally long rows."""
    return [list(column) for column in zip(*rows, strict=True)]

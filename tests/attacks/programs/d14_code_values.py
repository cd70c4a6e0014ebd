# Functions, classes, modules and types in place of values.
import sys


def add(x, y):
    return [add, type, sys, lambda: x + y, add.__code__, NotImplemented, Ellipsis]

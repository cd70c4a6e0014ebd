# -*- coding: utf-7 -*-
# A source that means something else where its cookie is obeyed. +AAo-def add(x, y): return x + y
def add(x, y):
    return None

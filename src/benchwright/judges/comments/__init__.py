"""The judge of comments: three scores by rule for comments added to unchanged code.

`judging` is the judge, `added` reads an answer once, `form`, `accuracy` and `logic` compute one score each.
"""

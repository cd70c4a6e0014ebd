"""The judge of comments: three scores by rule of what was written into code that stays as it was.

`judging` is the judge, `added` what it reads once, `form`, `accuracy` and `logic` a score each.
"""

"""Judging of code by the linter flake8, and by comparison with the code that it was made from."""

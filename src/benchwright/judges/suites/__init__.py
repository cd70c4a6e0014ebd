"""Execute test suites: one runner for each language, and their shared parts.

`settling` verifies the claims of a runner, `canaries` draws the names of the two added tests.
"""

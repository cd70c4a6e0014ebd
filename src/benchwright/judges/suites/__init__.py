"""Executes test suites: one module for each language, and what they share.

`settling` makes a report of what was claimed, `canaries` draws the names of the two tests that watch.
"""

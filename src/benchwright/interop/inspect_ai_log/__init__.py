"""Inspect AI's logs: a run written as one, and the answers taken from one."""

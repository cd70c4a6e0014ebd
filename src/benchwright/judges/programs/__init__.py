"""Whole programs: compile them, run them on standard input, and compare what they print."""

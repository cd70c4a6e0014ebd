"""Inspect AI logs: export of runs, and import of answers and scores."""

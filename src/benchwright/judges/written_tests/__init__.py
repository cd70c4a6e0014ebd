"""Judges of tests that a model wrote: by execution on the code and changed copies, and by likeness."""

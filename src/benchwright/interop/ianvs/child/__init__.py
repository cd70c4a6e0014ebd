"""Code that runs in the process of a test case with the code of the example: standard library only."""

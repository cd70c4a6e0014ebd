"""What runs in the process of one test case, beside the code of the example: the standard library alone."""

"""Rows of benchmarks from a release: review remarks, comments and issues."""

"""Shared code of the tests: generated data, servers with faults, and helpers that wait for processes."""

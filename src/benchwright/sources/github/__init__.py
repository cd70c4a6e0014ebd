"""Repositories found by a search on GitHub, or on a GitHub Enterprise Server."""

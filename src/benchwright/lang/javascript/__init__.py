"""JavaScript: known for its comments, not for suites."""

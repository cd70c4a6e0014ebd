"""Facts about Java source."""

"""Facts about Go source."""

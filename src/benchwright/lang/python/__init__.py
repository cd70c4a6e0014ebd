"""Facts about Python source."""

"""What is true of Python source only."""

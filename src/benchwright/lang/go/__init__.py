"""What is true of Go source only."""

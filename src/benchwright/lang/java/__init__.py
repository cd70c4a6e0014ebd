"""What is true of Java source only."""

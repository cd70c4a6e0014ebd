"""What developers use and the package does not ship: the quick check, releases, the prose linter."""

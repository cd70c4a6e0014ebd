"""C#: comments and declarations. There are no test suites and no programs in it."""

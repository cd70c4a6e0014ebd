"""Facts about JavaScript source: test suites of `node:test`, and comments. TypeScript: comments alone."""

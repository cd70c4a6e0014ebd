"""Answers that replace one function of a repository, judged by the repository's own tests."""

"""Migrations of the core's tables. A file that was released is never changed."""

"""Migrations of the station's tables. A file that was released is never changed."""

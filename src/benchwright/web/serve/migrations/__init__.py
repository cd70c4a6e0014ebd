"""Migrations of the tables of `benchwright serve`."""

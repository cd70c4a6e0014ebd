"""Migrations of the tables of submissions."""

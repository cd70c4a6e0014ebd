"""Cleaning of texts before they are stored: secrets, people, bots."""

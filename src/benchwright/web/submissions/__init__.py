"""Pushed runs: archives under limits, claims that are judged again, spaces of teams."""

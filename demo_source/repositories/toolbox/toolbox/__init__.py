"""Small helpers for text, numbers and schedules."""

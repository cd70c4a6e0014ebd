"""Data of the demo: 24 tasks in the ruHumanEval shape and stored answers of three made-up models."""

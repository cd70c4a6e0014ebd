"""MERA's submission format: export of runs, and checks before the upload."""

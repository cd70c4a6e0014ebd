"""MERA's submission format: writing one from a run, and finding the faults of one before it is uploaded."""

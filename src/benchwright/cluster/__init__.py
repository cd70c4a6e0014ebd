"""Judging and building on several machines, over Ray (the distribution `benchwright-ray`)."""

"""`./run prose`: phrases that a reader has to read twice, with the wording to use instead."""

"""Code that runs from the launcher inwards: standard library only, no import of the rest of Benchwright.

Copied as bytecode into the jail's read-only root, as the package `inside`, so its modules import each other
relatively. Nothing here decides a verdict: what these modules send out is a claim.
"""

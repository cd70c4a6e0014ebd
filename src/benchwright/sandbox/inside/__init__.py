"""Code that runs from the launcher inwards: standard library only, no import of the rest of Benchwright.

The folder is bound read-only into the jail as the package `inside`, so its modules import each other
relatively. Nothing here decides a verdict: what these modules send out is a claim.
"""

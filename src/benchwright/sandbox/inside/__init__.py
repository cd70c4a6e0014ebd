"""Code that runs inside the jail: standard library only, no import of the rest of Benchwright.

Copied as bytecode into the jail's read-only root, as the package `inside`, so its modules import each other
relatively. No verdict is decided here: everything these modules send is a claim.
"""

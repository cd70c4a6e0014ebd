"""The command line.

Imports click without garbage collection, which would take 3 % of the CPU time of `benchwright --help`.
"""

import gc

_enabled = gc.isenabled()
gc.disable()
import click  # noqa: E402, F401

if _enabled:
    gc.enable()

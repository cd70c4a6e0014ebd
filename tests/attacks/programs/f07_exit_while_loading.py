# Ends the process with a good exit status before anything was asked.
import sys

sys.exit(0)

"""`python -m benchwright` is the command `benchwright`."""

from __future__ import annotations

from benchwright.cli.main import main

if __name__ == "__main__":
    main()

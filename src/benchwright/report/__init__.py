"""The HTML report of runs in one file: standing, comparisons, charts, and every answer."""

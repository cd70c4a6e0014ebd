"""One HTML file that shows runs: standing, comparisons, charts, and every answer one click away."""

"""The version of this package, the only place that says it besides `pyproject.toml`."""

VERSION = "0.1.0"

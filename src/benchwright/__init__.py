"""Benchwright builds, runs, judges and ranks benchmarks for code models."""

from __future__ import annotations

__version__ = "0.1.0"

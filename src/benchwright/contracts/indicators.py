"""Indicators of a graded run: functionality, reliability and interpretability, or why one is not measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from benchwright.records import Metric, Record

Quality = Literal["functionality", "reliability", "interpretability"]
QUALITIES: tuple[Quality, ...] = ("functionality", "reliability", "interpretability")


class Indicator(Record, frozen=True, kw_only=True):
    """One figure of a quality. What was not measured has no metric, and `absent` says why."""

    quality: Quality
    name: str
    about: str  # its definition, in a line
    unit: str  # what its value is a share of, or the mean of
    metric: Metric | None = None  # from 0 to 1
    absent: str = ""
    higher_is_better: bool = True


def read_indicators(details: Mapping[str, Any]) -> list[Indicator]:
    """Those in the `details` of a stored score, in their order; none where its track has none."""
    return msgspec.convert(details.get("indicators", []), list[Indicator])

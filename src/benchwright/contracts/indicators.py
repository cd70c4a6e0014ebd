"""Indicators of a graded run: functionality, reliability and interpretability."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from benchwright.records import Metric, Record

Quality = Literal["functionality", "reliability", "interpretability"]
QUALITIES: tuple[Quality, ...] = ("functionality", "reliability", "interpretability")


class Indicator(Record, frozen=True, kw_only=True):
    """One figure of a quality. Without a metric it was not measured; `absent` gives the reason."""

    quality: Quality
    name: str
    about: str  # definition, in one line
    unit: str  # unit of the value: a share or mean of something
    metric: Metric | None = None  # from 0 to 1
    absent: str = ""
    higher_is_better: bool = True


def read_indicators(details: Mapping[str, Any]) -> list[Indicator]:
    """Indicators in the `details` of a stored score, in order; empty if its track has none."""
    return msgspec.convert(details.get("indicators", []), list[Indicator])

"""A station on each kind of database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.web.core.database import Database
from benchwright.web.core.tables import SchemaPart
from benchwright.web.station.application import PARTS
from kit.station_kit import Station, issue_run


@pytest.fixture
def database_parts() -> tuple[SchemaPart, ...]:
    """Return the tables of the core and the station."""
    return PARTS


@pytest.fixture
def station(database: Database, tmp_path: Path) -> Iterator[Callable[..., Station]]:
    """Return a function that creates a station: of eight answers to issues, or of other runs."""
    made: list[Station] = []

    def make(*runs: Path, **wishes: Any) -> Station:
        given = list(runs) or [issue_run(tmp_path / "run")]
        made.append(Station(database, given, **wishes))
        return made[-1]

    yield make
    for each in made:
        each.served.close()

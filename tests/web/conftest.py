"""Databases for the tests of pages.

Each test that takes `database` runs on SQLite in every check. On PostgreSQL, which costs as much again, it runs in the
weekly check, and in every check if it is marked `postgresql`: the marked tests send every statement that any test
sends, and all tests of locks, constraints, failures and migrations are marked.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchwright.web.core.database import Database, open_database
from benchwright.web.core.tables import CORE, SchemaPart
from kit.examples import SCALE
from kit.postgres import Postgres
from kit.web_client import Served


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Postgres]:
    """Start one server for all tests of this process."""
    server = Postgres()
    yield server
    server.remove()


@pytest.fixture(scope="session")
def made_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[SchemaPart, ...]], Path]:
    """Return a file with the tables of these parts, as the migrations make them; made once for this process."""

    @cache
    def make(parts: tuple[SchemaPart, ...]) -> Path:
        path = tmp_path_factory.mktemp("tables") / "made.db"
        open_database(path, parts).close()
        return path

    return make


@pytest.fixture(scope="session")
def made_database(postgres_server: Postgres) -> Callable[[tuple[SchemaPart, ...]], str]:
    """Return the address of a database on the server with the tables of these parts; made once for this
    process."""

    @cache
    def make(parts: tuple[SchemaPart, ...]) -> str:
        address = postgres_server.new_database()
        open_database(address, parts).close()
        return address

    return make


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that takes a database on SQLite, marked ones on PostgreSQL too; the weekly check runs all
    on both."""
    chosen = any("database_place" in each.args[0] for each in metafunc.definition.iter_markers("parametrize"))
    if "database_place" in metafunc.fixturenames and not chosen:
        both = SCALE > 1 or metafunc.definition.get_closest_marker("postgresql") is not None
        kinds = ["sqlite", "postgresql"] if both else ["sqlite"]
        metafunc.parametrize("database_place", kinds, indirect=True)


@pytest.fixture
def database_place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the place of a new database: the path of a missing file, or an empty database of the server.

    For a test that takes `database` it has its tables: a copy of the file, or a database that is emptied
    afterwards.
    """
    if request.param == "sqlite":
        if "database" in request.fixturenames:
            made = request.getfixturevalue("made_file")(request.getfixturevalue("database_parts"))
            shutil.copy(made, tmp_path / "site.db")
        yield str(tmp_path / "site.db")
        return
    server: Postgres = request.getfixturevalue("postgres_server")
    if "database" in request.fixturenames:
        address = request.getfixturevalue("made_database")(request.getfixturevalue("database_parts"))
        yield address
        server.empty(address)
        return
    address = server.new_database()
    yield address
    server.drop(address)


@pytest.fixture
def database_parts() -> tuple[SchemaPart, ...]:
    """Return the parts whose tables the database has."""
    return (CORE,)


@pytest.fixture
def database(database_place: str, database_parts: tuple[SchemaPart, ...]) -> Iterator[Database]:
    """Return a database with its tables and no rows."""
    opened = open_database(database_place, database_parts)
    yield opened
    opened.close()


@pytest.fixture
def serve(database: Database) -> Iterator[Callable[..., Served]]:
    """Return a function that creates an application on the database, without a socket, from routes and
    settings by name."""
    made: list[Served] = []

    def make(*routes: Any, **settings: Any) -> Served:
        made.append(Served(database, routes, settings))
        return made[-1]

    yield make
    for each in made:
        each.close()

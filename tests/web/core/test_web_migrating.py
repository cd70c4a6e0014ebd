"""Migrations: up, down and up again on both databases, and databases that must not be changed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text

from benchwright.errors import RunError
from benchwright.web.core.database import open_database
from benchwright.web.core.tables import CORE, Base, SchemaPart, SiteFact, applied_revisions, migrate
from kit.older_schema import downgrade
from kit.postgres import Postgres

pytestmark = pytest.mark.postgresql

PART = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = "extra_0001", None, ("extra",), "core_0001"


def upgrade() -> None:
    op.create_table("extra", sa.Column("project_id", sa.String, sa.ForeignKey("projects.id"), primary_key=True))
    {fault}


def downgrade() -> None:
    op.drop_table("extra")
"""


# Names of the core only: other imported parts add theirs to the same metadata.
CORE_TABLES = {
    mapper.local_table.name: Base.metadata.tables[mapper.local_table.name]
    for mapper in Base.registry.mappers
    if mapper.class_.__module__ == SiteFact.__module__
}


def _tables(engine: Engine) -> set[str]:
    return set(inspect(engine).get_table_names()) - {"alembic_version"}


def _part(folder: Path, name: str, fault: str = "") -> SchemaPart:
    package = folder / name
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "extra_0001.py").write_text(PART.replace("{fault}", fault))
    return SchemaPart(name, "extra_0001")


@pytest.fixture
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder from which packages can be imported."""
    monkeypatch.syspath_prepend(str(tmp_path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("part_"):
            del sys.modules[name]


def test_migrations_make_what_the_tables_say(database_place: str) -> None:
    """Columns, types, indexes and keys are equal, and so are the names of constraints."""
    database = open_database(database_place)
    with database.engine.begin() as connection:
        options = {
            "compare_type": True,
            "include_name": lambda name, kind, _: kind != "table" or name in CORE_TABLES,
            "include_object": lambda _, name, kind, *rest: kind != "table" or name in CORE_TABLES,
        }
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Base.metadata) == []
        looked = inspect(connection)
        for table in CORE_TABLES.values():
            assert looked.get_pk_constraint(table.name)["name"] == f"pk_{table.name}"
            keys = {key["name"] for key in looked.get_foreign_keys(table.name)}
            assert keys == {key.name for key in table.foreign_key_constraints}
    database.close()


def test_down_and_up_again(database_place: str, importable: Path) -> None:
    """First one part, then all; after each step the tables are those of the remaining parts."""
    parts = (CORE, _part(importable, "part_up_down"))
    database = open_database(database_place, parts)
    engine, core = database.engine, set(CORE_TABLES)
    seen = [_tables(engine)]
    downgrade(engine, parts, "extra@base")
    seen.append(_tables(engine))
    migrate(engine, parts)
    seen.append(_tables(engine))
    downgrade(engine, parts)
    seen.append(_tables(engine))
    migrate(engine, parts)
    seen.append(_tables(engine))
    database.close()

    assert seen == [core | {"extra"}, core, core | {"extra"}, set(), core | {"extra"}]


def test_a_part_that_comes_later_finds_its_place(database_place: str, importable: Path) -> None:
    """A database with the core alone gets the other part's tables, and keeps its rows."""
    with_core = open_database(database_place)
    with_core.write_now(lambda session: session.execute(text("insert into site_facts values ('a', 'b')")))
    with_core.close()
    database = open_database(database_place, (CORE, _part(importable, "part_later")))

    assert "extra" in _tables(database.engine)
    assert database.read_now(lambda s: s.execute(text("select value from site_facts")).scalar()) == "b"
    database.close()


def test_a_migration_that_fails_leaves_nothing(database_place: str, importable: Path) -> None:
    """Tables of earlier migrations in the same run are rolled back too; a corrected migration starts from
    there."""
    with pytest.raises(ZeroDivisionError):
        open_database(database_place, (CORE, _part(importable, "part_fault", "1 / 0")))
    database = open_database(database_place)

    assert _tables(database.engine) == set(CORE_TABLES)
    database.close()


def test_what_a_newer_version_has_written_is_refused(database_place: str) -> None:
    """The error names the version, and nothing changes."""
    database = open_database(database_place)
    with database.engine.begin() as connection:
        connection.execute(text("update alembic_version set version_num = 'core_9999'"))
    database.close()
    with pytest.raises(RunError, match="written by a newer version: unknown migrations core_9999"):
        open_database(database_place)


def test_two_that_start_at_once_migrate_once(postgres_server: Postgres) -> None:
    """On PostgreSQL the second process waits for the first."""
    place = postgres_server.new_database()
    with ThreadPoolExecutor(4) as threads:
        opened = list(threads.map(open_database, [place] * 4))
    with opened[0].engine.begin() as connection:
        assert applied_revisions(connection) == [CORE.head]
    for database in opened:
        database.close()
    postgres_server.drop(place)


def test_an_open_without_work_loads_no_alembic(tmp_path: Path) -> None:
    """Otherwise every start would pay for the import."""
    from kit.processes import python

    open_database(tmp_path / "site.db").close()
    code = (
        "import sys\nfrom benchwright.web.core.database import open_database\n"
        "open_database(sys.argv[1]).close()\nprint('alembic' in sys.modules)"
    )
    done = python(code, str(tmp_path / "site.db"))

    assert (done.stdout.strip(), done.stderr) == ("False", "")

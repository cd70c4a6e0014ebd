"""Migrations of the database: each part of a site has a folder of them and names its newest one.

Alembic is imported only if there is something to migrate: it takes half of the start-up time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Engine, inspect, text

from benchwright.errors import RunError
from benchwright.web.core.tables import Base

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

LOCK = 7_206_314_052  # PostgreSQL advisory lock: starting processes must not migrate concurrently


class SchemaPart(NamedTuple):
    """A part of the schema: the package with its migrations, and the newest of them."""

    package: str
    head: str


CORE = SchemaPart("benchwright.web.core.migrations", "core_0001")


def bring_up_to_date(engine: Engine, parts: Sequence[SchemaPart]) -> None:
    """Run missing migrations in one transaction. Raises RunError if a newer version wrote the database."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": LOCK})
        if set(present(connection)) >= {part.head for part in parts}:
            return
        scripts = _scripts(parts)
        _refuse_newer(present(connection), scripts)
        _migrate(connection, scripts)


def present(connection: Connection) -> list[str]:
    """The newest applied migration of each part."""
    if not inspect(connection).has_table("alembic_version"):
        return []
    return list(connection.scalars(text("select version_num from alembic_version")))


def _scripts(parts: Iterable[SchemaPart]) -> ScriptDirectory:
    from alembic.script import ScriptDirectory  # noqa: PLC0415 (see above)

    folders = [str(files(part.package)) for part in parts]
    return ScriptDirectory(folders[0], version_locations=folders)


def _refuse_newer(versions: Iterable[str], scripts: ScriptDirectory) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    if unknown := sorted(set(versions) - known):
        raise RunError(
            f"this database was written by a newer version: unknown migrations {', '.join(unknown)}",
            hint="pip install --upgrade benchwright",
        )


def _migrate(connection: Connection, scripts: ScriptDirectory) -> None:
    from alembic.config import Config  # noqa: PLC0415 (see above)
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415

    def steps(revision: Any, _context: Any) -> Any:  # what alembic's own command calls
        return scripts._upgrade_revs("heads", revision)

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=Base.metadata)
        with environment.begin_transaction():
            environment.run_migrations()

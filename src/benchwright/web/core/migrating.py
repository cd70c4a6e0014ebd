"""Bringing a database up to date: each part of the site has a folder of migrations and names its newest.

Alembic is loaded only where something is to be done: that is half of what a start may cost.
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

LOCK = 7_206_314_052  # of PostgreSQL, so that two processes that start do not migrate side by side


class SchemaPart(NamedTuple):
    """Whose tables: the package that has the migrations, and the newest of them."""

    package: str
    head: str


CORE = SchemaPart("benchwright.web.core.migrations", "core_0001")


def bring_up_to_date(engine: Engine, parts: Sequence[SchemaPart]) -> None:
    """Run what migrations are missing, all or none. Raises RunError for what a newer version has written."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": LOCK})
        if set(present(connection)) >= {part.head for part in parts}:
            return
        scripts = _scripts(parts)
        _refuse_newer(present(connection), scripts)
        _migrate(connection, scripts)


def present(connection: Connection) -> list[str]:
    """The newest migration of each part that the database has had."""
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
            f"a newer version has written this database: it has {', '.join(unknown)}",
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

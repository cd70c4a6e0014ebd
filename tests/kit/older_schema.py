"""Databases of an earlier version, made by undoing migrations."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

from benchwright.web.core.tables import SchemaPart


def downgrade(engine: Engine, parts: Sequence[SchemaPart], target: str = "base") -> None:
    """Undo migrations down to `target`; the rows of dropped tables are lost."""
    folders = [str(files(part.package)) for part in parts]
    scripts = ScriptDirectory(folders[0], version_locations=folders)

    def steps(revision: Any, _context: Any) -> Any:
        return scripts._downgrade_revs(target, revision)

    with engine.begin() as connection, EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection)
        with environment.begin_transaction():
            environment.run_migrations()

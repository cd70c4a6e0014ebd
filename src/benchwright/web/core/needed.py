"""What pages need that may not be installed: asked before any of it is imported."""

from __future__ import annotations

from importlib.util import find_spec

from benchwright.errors import PrerequisiteError, install_command

PACKAGES = ("alembic", "argon2", "litestar", "sqlalchemy", "uvicorn")


def need_web() -> None:
    """Raises PrerequisiteError where a package of the extra `web` is missing."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise PrerequisiteError(f"serving pages needs {', '.join(missing)}", hint=install_command("web"))

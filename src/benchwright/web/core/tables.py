"""Database tables of every application, and their migrations.

Times are milliseconds since 1970 in UTC, because SQLite drops time zones. Secrets are stored as hashes.
Each part of a site has a folder of migrations and names its newest; Alembic is imported only if there is
something to migrate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from sqlalchemy import (
    JSON,
    BigInteger,
    Connection,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    inspect,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from benchwright.errors import RunError

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory


# Constraints have names, so that later migrations can find them in both databases.
_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """The base class of all tables, including those of other parts."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map = {int: BigInteger, dict[str, Any]: JSON}


def table_of(kind: type[Base]) -> Table:
    """The table of a class, for statements that return rows instead of objects."""
    return cast(Table, kind.__table__)


class SiteFact(Base):
    """A setting of the whole site, such as its secret."""

    __tablename__ = "site_facts"

    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class Account(Base):
    """A person who can log in. `name` is folded, so that names never differ by case alone."""

    __tablename__ = "accounts"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    password: Mapped[str]  # argon2id, with its parameters
    is_admin: Mapped[bool] = mapped_column(default=False)
    created_ms: Mapped[int]
    closed_ms: Mapped[int | None]  # logins refused since then

    @property
    def is_deleted(self) -> bool:
        """Whether the person was deleted: a password hash is never empty."""
        return not self.password


class LoginSession(Base):
    """A login of one browser."""

    __tablename__ = "login_sessions"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)  # for the account's page; not a secret
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    created_ms: Mapped[int]
    seen_ms: Mapped[int]
    expires_ms: Mapped[int] = mapped_column(index=True)
    address: Mapped[str]
    browser: Mapped[str]


class ExternalIdentity(Base):
    """A person at an OpenID provider, whose logins open an account."""

    __tablename__ = "external_identities"

    issuer: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)  # of the issuer; never another person's
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    created_ms: Mapped[int]


class Project(Base):
    """A project: what roles refer to. Its contents belong to the application."""

    __tablename__ = "projects"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    state: Mapped[str]  # of ProjectRules.states
    owner_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    created_ms: Mapped[int]


class Membership(Base):
    """The role of an account in a project."""

    __tablename__ = "memberships"

    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[str] = mapped_column(
        ForeignKey("accounts.id", ondelete="CASCADE"), primary_key=True, index=True
    )
    role: Mapped[str]  # of ProjectRules.roles


class Invitation(Base):
    """A link that creates an account, grants a role, or resets a password.

    It works once, until it expires.
    """

    __tablename__ = "invitations"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    project_id: Mapped[str | None] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), index=True)
    role: Mapped[str | None]
    account_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    makes_admin: Mapped[bool] = mapped_column(default=False)
    made_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))  # None: by a command
    note: Mapped[str]
    created_ms: Mapped[int]
    expires_ms: Mapped[int]
    used_ms: Mapped[int | None]
    used_by: Mapped[str | None] = mapped_column(ForeignKey("accounts.id"))


class ApiToken(Base):
    """A secret for programs, with fewer rights than its account."""

    __tablename__ = "api_tokens"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    id: Mapped[str] = mapped_column(unique=True)
    account_id: Mapped[str] = mapped_column(ForeignKey("accounts.id", ondelete="CASCADE"), index=True)
    name: Mapped[str]
    scopes: Mapped[str]  # of policy.SCOPES, separated by spaces
    created_ms: Mapped[int]
    expires_ms: Mapped[int]
    project_id: Mapped[str | None] = mapped_column(  # the only project that it opens; None: the account's
        ForeignKey("projects.id", ondelete="CASCADE"), index=True
    )


class AuditEntry(Base):
    """An action: its actor, kind and subject. Rows are never changed or deleted."""

    __tablename__ = "audit_log"
    __table_args__ = (Index("ix_audit_log_project_id_number", "project_id", "number"),)

    number: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    at_ms: Mapped[int]
    account_id: Mapped[str | None]  # no foreign key: the log outlives its subjects
    project_id: Mapped[str | None]
    action: Mapped[str]
    subject: Mapped[str]
    address: Mapped[str]
    detail: Mapped[str]


LOCK = 7_206_314_052  # PostgreSQL advisory lock: starting processes must not migrate concurrently


class SchemaPart(NamedTuple):
    """A part of the schema: the package with its migrations, and the newest of them."""

    package: str
    head: str


CORE = SchemaPart("benchwright.web.core.migrations", "core_0003")


def migrate(engine: Engine, parts: Sequence[SchemaPart]) -> None:
    """Run missing migrations in one transaction. Raises RunError if a newer version wrote the database."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("select pg_advisory_xact_lock(:key)"), {"key": LOCK})
        if set(applied_revisions(connection)) >= {part.head for part in parts}:
            return
        scripts = _scripts(parts)
        _refuse_newer(applied_revisions(connection), scripts)
        _run_migrations(connection, scripts)


def applied_revisions(connection: Connection) -> list[str]:
    """The newest applied migration of each part."""
    if not inspect(connection).has_table("alembic_version"):
        return []
    return list(connection.scalars(text("select version_num from alembic_version")))


def refuse_newer(versions: Iterable[str], parts: Sequence[SchemaPart]) -> None:
    """Raise RunError if migrations were applied that these parts do not have."""
    _refuse_newer(versions, _scripts(parts))


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


def _run_migrations(connection: Connection, scripts: ScriptDirectory) -> None:
    from alembic.config import Config  # noqa: PLC0415 (see above)
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415

    def steps(revision: Any, _context: Any) -> Any:  # as alembic's own command does
        return scripts._upgrade_revs("heads", revision)

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, target_metadata=Base.metadata)
        with environment.begin_transaction():
            environment.run_migrations()

"""Settings of the whole site, stored in its database."""

from __future__ import annotations

from sqlalchemy.orm import Session

from benchwright.web.core.opaque import new_secret
from benchwright.web.core.tables import SiteFact

SECRET = "secret"


def site_secret(session: Session) -> str:
    """The secret that keys public identifiers of this site; created on first use."""
    return fact(session, SECRET) or keep_fact(session, SECRET, new_secret())


def fact(session: Session, name: str) -> str | None:
    """A stored setting; None if it was never set."""
    found = session.get(SiteFact, name)
    return None if found is None else found.value


def keep_fact(session: Session, name: str, value: str) -> str:
    """Store a setting, replacing an earlier value."""
    session.merge(SiteFact(name=name, value=value))
    session.flush()
    return value

"""What holds for a whole site, kept in its database."""

from __future__ import annotations

from sqlalchemy.orm import Session

from benchwright.web.core.opaque import new_secret
from benchwright.web.core.tables import SiteFact

SECRET = "secret"


def site_secret(session: Session) -> str:
    """The secret that keys what this site shows in place of ids; made at the first start."""
    return fact(session, SECRET) or keep_fact(session, SECRET, new_secret())


def fact(session: Session, name: str) -> str | None:
    """A fact; None where it was never noted."""
    found = session.get(SiteFact, name)
    return None if found is None else found.value


def keep_fact(session: Session, name: str, value: str) -> str:
    """Note a fact, in place of an earlier one of this name."""
    session.merge(SiteFact(name=name, value=value))
    session.flush()
    return value

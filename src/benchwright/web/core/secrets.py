"""Secrets: random tokens and ids, hashes for storage, and the site's own secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

from sqlalchemy.orm import Session

from benchwright.web.core.tables import SiteFact

SECRET_BYTES = 32


def new_secret() -> str:
    """A random secret of 256 bits as text, for a cookie, a link or a header."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_id() -> str:
    """A random id of 128 bits for addresses."""
    return secrets.token_urlsafe(16)


def secret_hash(secret: str) -> str:
    """The hash of a secret. Secrets are long and random, so one round of a plain hash suffices."""
    return hashlib.sha256(secret.encode()).hexdigest()


def keyed_digest(key: str, *words: str) -> str:
    """A keyed digest of the words as 43 letters. Each word enters with its length."""
    message = b"".join(len(word.encode()).to_bytes(8, "big") + word.encode() for word in words)
    return base64.urlsafe_b64encode(hmac.digest(key.encode(), message, "sha256")).decode().rstrip("=")


def equal_in_constant_time(one: str, other: str) -> bool:
    """Whether two texts are equal, compared in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())


SECRET = "secret"


def site_secret(session: Session) -> str:
    """The secret that keys public identifiers of this site; created on first use."""
    return site_setting(session, SECRET) or store_site_setting(session, SECRET, new_secret())


def site_setting(session: Session, name: str) -> str | None:
    """A stored setting; None if it was never set."""
    found = session.get(SiteFact, name)
    return None if found is None else found.value


def store_site_setting(session: Session, name: str, value: str) -> str:
    """Store a setting, replacing an earlier value."""
    session.merge(SiteFact(name=name, value=value))
    session.flush()
    return value

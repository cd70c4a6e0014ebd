"""Random secrets and ids, and hashes of secrets for storage."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

SECRET_BYTES = 32


def new_secret() -> str:
    """A random secret of 256 bits as text, for a cookie, a link or a header."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_id() -> str:
    """A random id of 128 bits for addresses."""
    return secrets.token_urlsafe(16)


def stored(secret: str) -> str:
    """The hash of a secret. Secrets are long and random, so one round of a plain hash suffices."""
    return hashlib.sha256(secret.encode()).hexdigest()


def keyed(key: str, *words: str) -> str:
    """A keyed digest of the words as 43 letters. Each word enters with its length."""
    message = b"".join(len(word.encode()).to_bytes(8, "big") + word.encode() for word in words)
    return base64.urlsafe_b64encode(hmac.digest(key.encode(), message, "sha256")).decode().rstrip("=")


def same(one: str, other: str) -> bool:
    """Whether two texts are equal, compared in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())

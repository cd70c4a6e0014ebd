"""Secrets and names nobody can guess, and how secrets are stored."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets

SECRET_BYTES = 32


def new_secret() -> str:
    """256 bits, as text for a cookie, a link or a header."""
    return secrets.token_urlsafe(SECRET_BYTES)


def new_id() -> str:
    """A name of a thing in addresses that tells nothing of it, and cannot be guessed: 128 bits."""
    return secrets.token_urlsafe(16)


def stored(secret: str) -> str:
    """What is kept of a secret. It is long and random, so one round of a plain hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


def keyed(key: str, *words: str) -> str:
    """A keyed digest of the words, as 43 letters; words that are cut elsewhere give another."""
    message = b"".join(len(word.encode()).to_bytes(8, "big") + word.encode() for word in words)
    return base64.urlsafe_b64encode(hmac.digest(key.encode(), message, "sha256")).decode().rstrip("=")


def same(one: str, other: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())

"""Pseudonyms of people: keyed hashes of logins and e-mail addresses.

The key is a file of the build that only its owner may read. It is created once and never published: with it,
anybody could test which pseudonym a known login has.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import stat
from base64 import b32encode
from collections.abc import Collection, Mapping
from pathlib import Path

from benchwright.display.escape import escaped_path, quoted
from benchwright.errors import RunError
from benchwright.store.atomic_files import sync_folder

KEY_FILE = "people.key"
KEY_BYTES = 32
FORGOTTEN = "person-forgotten"  # in place of each person that a request removed
_PREFIX, _DIGITS = "person-", 12
PSEUDONYM = re.compile(rf"{_PREFIX}[a-z2-7]{{{_DIGITS}}}")
_ADDRESSED = re.compile(r"[^<>]*<([^<>\s]+@[^<>\s]+)>\s*")
# Addresses that platforms give to commits instead of the real one contain the login.
_NOREPLY = re.compile(
    r"(?:\d+[+-])?([a-z0-9_.-]+(?:\[bot\])?)@users\.noreply\.(?:github\.com|gitlab\.com|gitea\.io|codeberg\.org)"
)


def load_key(folder: Path) -> bytes:
    """The key of a build; created at the first call, with mode 600.

    Raises RunError if others can read it, or if it is damaged: another key would give each person a second
    pseudonym.
    """
    path = folder / KEY_FILE
    if not path.exists():
        _create(path)
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        message = f"{escaped_path(path)}: other users can read the key of the pseudonyms"
        raise RunError(message, hint=f"chmod 600 {quoted(path)}")
    try:
        key = bytes.fromhex(path.read_text("ascii"))
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        message = f"{escaped_path(path)}: not a key of {KEY_BYTES} bytes in hexadecimal digits"
        raise RunError(message, hint="restore the file from a copy; without it, use --out OTHER")
    return key


def _create(path: Path) -> None:
    """Write a new key in one step. If another process was faster, its key counts."""
    draft = path.with_name(f"{KEY_FILE}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(secrets.token_hex(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    sync_folder(path.parent)


class KeyedPseudonyms:
    """Gives people pseudonyms: HMAC-SHA256 of the identity, 60 bits in base 32, as `person-…`.

    `aliases` maps an identity to the one that counts, for example an address to a login. A login and the
    address that a platform gives it are one person without an entry.
    """

    def __init__(
        self,
        key: bytes,
        *,
        aliases: Mapping[str, str] | None = None,
        forgotten: Collection[str] = (),
    ) -> None:
        self._key = key
        self.forgotten = frozenset(forgotten)
        self._aliases = {identity_of(name): identity_of(login) for name, login in (aliases or {}).items()}

    def of(self, identity: str) -> str:
        """The pseudonym of a login, an e-mail address or `Name <address>`; FORGOTTEN for the forgotten.

        Empty for an empty text. A pseudonym and the name of a bot that ends with `[bot]` stay as they are.
        """
        name = identity_of(identity)
        if not name or name.endswith("[bot]") or PSEUDONYM.fullmatch(name) or name == FORGOTTEN:
            return name
        name = self._aliases.get(name, name)
        if self.forgotten and self.is_forgotten("user", name):
            return FORGOTTEN
        return f"{_PREFIX}{b32encode(self._digest(name))[:_DIGITS].decode().lower()}"

    def deputy_key(self) -> bytes:
        """A key for `DeputyPseudonyms`, from which the key of the build does not follow."""
        return self._digest("key of a deputy")

    def mark(self, kind: str, name: str) -> str:
        """A keyed hash under which a name can be forgotten; the name does not follow from it."""
        return self._digest(f"forget {kind} {name}").hex()

    def is_forgotten(self, kind: str, name: str) -> bool:
        """Whether a user, a repository or an address is to be forgotten."""
        return bool(self.forgotten) and self.mark(kind, name) in self.forgotten

    def _digest(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode("utf-8", "surrogatepass"), "sha256")


def identity_of(given: str) -> str:
    """The login or address that identifies a person, in lower case."""
    name = given.strip().lower()
    if match := _ADDRESSED.fullmatch(name):
        name = match[1]
    if match := _NOREPLY.fullmatch(name):
        return match[1]
    return name.removeprefix("mailto:").removeprefix("@")


class DeputyPseudonyms(KeyedPseudonyms):
    """Pseudonyms by a key that may leave the build's machine; `seen` has the identity of each of them.

    They have the form of the build's own, so texts are cleaned alike, and `own_pseudonyms` replaces them.
    """

    def __init__(self, key: bytes) -> None:
        super().__init__(key)
        self.seen: dict[str, str] = {}

    def of(self, identity: str) -> str:
        """The pseudonym by this key, as `KeyedPseudonyms.of`."""
        found = super().of(identity)
        if found.startswith(_PREFIX) and found not in (FORGOTTEN, identity_of(identity)):
            self.seen[found] = identity
        return found


def own_pseudonyms(text: bytes, known: Mapping[bytes, bytes]) -> bytes:
    """The text with each pseudonym that `known` has replaced by its value; all are as long.

    >>> own_pseudonyms(b"by person-aaaaaaaaaaaa.", {b"person-aaaaaaaaaaaa": b"person-bbbbbbbbbbbb"})
    b'by person-bbbbbbbbbbbb.'
    """
    prefix = _PREFIX.encode()
    first, *others = text.split(prefix)
    found = [first]
    for each in others:
        name = prefix + each[:_DIGITS]
        found += [known.get(name, name), each[_DIGITS:]]
    return b"".join(found)


def key_mark(key: bytes) -> str:
    """A hash that distinguishes keys without revealing them, for the identity of a build."""
    return hashlib.sha256(b"benchwright people key " + key).hexdigest()[:16]
